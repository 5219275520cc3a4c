package dev.weir.state;

import dev.weir.topology.TaskId;
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
    private final Entries entries;

    Changes(TaskId task, long epoch, Entries entries) {
        this.task = task;
        this.epoch = epoch;
        this.entries = entries;
    }

    /** Changes of these entries. */
    public static Changes of(TaskId task, long epoch, Map<Bytes, byte @Nullable []> entries) {
        return new Changes(task, epoch, Entries.of(entries));
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
        return entries.size();
    }

    /** Whether nothing was changed. */
    public boolean isEmpty() {
        return entries.size() == 0;
    }

    /**
     * Shows all entries where they stand, in ascending order of unsigned bytes.
     *
     * @throws dev.weir.codec.UnencodableException if a value cannot be encoded
     */
    public void visit(Entries.Visitor visitor) {
        entries.visit(visitor);
    }

    /**
     * Hands over a copy of each key with its value or null, in ascending order of unsigned bytes.
     *
     * @throws dev.weir.codec.UnencodableException if a value cannot be encoded
     */
    public void forEach(BiConsumer<? super Bytes, byte @Nullable []> each) {
        entries.visit((keys, keyOffset, keyLength, values, valueOffset, valueLength) -> each.accept(
                Bytes.of(Entries.copy(keys, keyOffset, keyLength)),
                values == null ? null : Entries.copy(values, valueOffset, valueLength)));
    }

    /** A copy as a map, in ascending order. */
    public Map<Bytes, byte @Nullable []> entries() {
        var copy = new LinkedHashMap<Bytes, byte @Nullable []>(size() * 4 / 3 + 1);
        forEach(copy::put);
        return copy;
    }
}
