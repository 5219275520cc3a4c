package dev.weir.state;

import dev.weir.topology.TaskId;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What one epoch of one task changed: for each storage key its new value, or null where it was removed. Immutable; values that are
 * not bytes yet become bytes when they are first asked for, on whatever thread that is.
 */
public final class Changes {

    private final TaskId task;
    private final long epoch;
    private final Map<Bytes, @Nullable Object> held;
    private volatile Map.Entry<Bytes, @Nullable Object> @Nullable [] ascending;

    private Changes(TaskId task, long epoch, Map<Bytes, @Nullable Object> held) {
        this.task = task;
        this.epoch = epoch;
        this.held = held;
    }

    /** Changes of these entries, which must not be changed any more. */
    public static Changes of(TaskId task, long epoch, Map<Bytes, byte @Nullable []> entries) {
        return new Changes(task, epoch, Collections.unmodifiableMap(entries));
    }

    /** Changes of what an overlay holds; nothing is put to it any more. */
    static Changes ofHeld(TaskId task, long epoch, Map<Bytes, @Nullable Object> held) {
        return new Changes(task, epoch, held);
    }

    /** The task. */
    public TaskId task() {
        return task;
    }

    /** The task's epoch. */
    public long epoch() {
        return epoch;
    }

    /** How many keys were changed. */
    public int size() {
        return held.size();
    }

    /** Whether nothing was changed. */
    public boolean isEmpty() {
        return held.isEmpty();
    }

    /**
     * Hands over each key with its value or null, in ascending order of unsigned bytes.
     *
     * @throws IllegalArgumentException if a value cannot be encoded
     */
    public void forEach(BiConsumer<? super Bytes, byte @Nullable []> each) {
        for (var entry : ascending()) {
            each.accept(entry.getKey(), Unencoded.bytesOf(entry.getValue()));
        }
    }

    /** A copy as a map, in ascending order. */
    public Map<Bytes, byte @Nullable []> entries() {
        var entries = new LinkedHashMap<Bytes, byte @Nullable []>(held.size() * 4 / 3 + 1);
        forEach(entries::put);
        return entries;
    }

    @SuppressWarnings("unchecked") // Arrays of a generic type cannot be made; nothing else is ever put into this one.
    private Map.Entry<Bytes, @Nullable Object>[] ascending() {
        var sorted = ascending;
        if (sorted == null) {
            sorted = held.entrySet().toArray(new Map.Entry[0]);
            Arrays.sort(sorted, Map.Entry.comparingByKey());
            ascending = sorted;
        }
        return sorted;
    }
}
