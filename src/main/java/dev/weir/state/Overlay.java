package dev.weir.state;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Changes above a store. Its map may be read by another thread once nothing is put any more; the sorted view belongs to the owner
 * alone, and exists only where scans are used.
 */
final class Overlay {

    /** What {@link #get} returns where the overlay says nothing of a key; null says that it is removed. */
    static final Object ABSENT = new Object();

    /** Heap bytes of an entry without its key's and value's bytes: map node, slot, key wrapper and two array headers. */
    static final int ENTRY_OVERHEAD = 104;

    private final long epoch;
    private final Map<Bytes, @Nullable Object> entries;
    private @Nullable TreeMap<Bytes, @Nullable Object> sorted;
    private long bytes;

    private Overlay(
            long epoch,
            Map<Bytes, @Nullable Object> entries,
            @Nullable TreeMap<Bytes, @Nullable Object> sorted,
            long bytes) {
        this.epoch = epoch;
        this.entries = entries;
        this.sorted = sorted;
        this.bytes = bytes;
    }

    /** An empty overlay of an epoch that has no number yet. */
    static Overlay running() {
        return new Overlay(0, new HashMap<>(), null, 0);
    }

    /** An empty overlay that is sorted from the start if this one had to be. */
    Overlay successor() {
        return new Overlay(0, new HashMap<>(), sorted == null ? null : new TreeMap<>(), 0);
    }

    /** This overlay with its number, to which nothing is put any more. */
    Overlay frozen(long number) {
        return new Overlay(number, entries, sorted, bytes);
    }

    long epoch() {
        return epoch;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    long bytes() {
        return bytes;
    }

    /** What it holds of each key: null, bytes, or an {@link Unencoded}. */
    Map<Bytes, @Nullable Object> entries() {
        return entries;
    }

    @Nullable
    Object get(Bytes key) {
        return entries.getOrDefault(key, ABSENT);
    }

    void put(Bytes key, @Nullable Object value) {
        int before = entries.size();
        Object old = entries.put(key, value);
        if (entries.size() != before) {
            bytes += ENTRY_OVERHEAD + key.array().length;
        }
        bytes += Unencoded.sizeOf(value) - Unencoded.sizeOf(old);
        if (sorted != null) {
            sorted.put(key, value);
        }
    }

    /** The entries from a key on, ascending; no entry may be put while they are read. */
    NavigableMap<Bytes, @Nullable Object> from(Bytes key) {
        TreeMap<Bytes, @Nullable Object> view = sorted;
        if (view == null) {
            view = new TreeMap<>(entries);
            sorted = view;
        }
        return view.tailMap(key, true);
    }
}
