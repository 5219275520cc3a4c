package dev.weir.state;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Keys that will be asked for soon. {@link #run} may be called by any thread; what it finds goes back to the state's owner. */
public final class ReadAhead {

    private final TaskStore store;
    private final long generation;
    private final List<Bytes> keys;
    private List<byte @Nullable []> values = List.of();

    ReadAhead(TaskStore store, long generation, List<Bytes> keys) {
        this.store = store;
        this.generation = generation;
        this.keys = keys;
    }

    /** Whether there is nothing to be read. */
    public boolean isEmpty() {
        return keys.isEmpty();
    }

    /** Reads. */
    public ReadAhead run() {
        var arrays = new ArrayList<byte[]>(keys.size());
        keys.forEach(key -> arrays.add(key.array()));
        values = store.getAll(arrays);
        return this;
    }

    long generation() {
        return generation;
    }

    void forEach(BiConsumer<Bytes, byte @Nullable []> each) {
        for (int i = 0; i < values.size(); i++) {
            each.accept(keys.get(i), values.get(i));
        }
    }
}
