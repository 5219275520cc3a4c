package dev.weir.state;

import java.util.Collections;
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
    static final byte[] ABSENT = new byte[0];

    /** Heap bytes of an entry without its key's and value's bytes: map node, slot, key wrapper and two array headers. */
    static final int ENTRY_OVERHEAD = 104;

    private final long epoch;
    private final Map<Bytes, byte @Nullable []> entries;
    private @Nullable TreeMap<Bytes, byte @Nullable []> sorted;
    private long bytes;

    private Overlay(
            long epoch,
            Map<Bytes, byte @Nullable []> entries,
            @Nullable TreeMap<Bytes, byte @Nullable []> sorted,
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

    Map<Bytes, byte @Nullable []> entries() {
        return Collections.unmodifiableMap(entries);
    }

    byte @Nullable [] get(Bytes key) {
        return entries.getOrDefault(key, ABSENT);
    }

    void put(Bytes key, byte @Nullable [] value) {
        int before = entries.size();
        byte[] old = entries.put(key, value);
        if (entries.size() != before) {
            bytes += ENTRY_OVERHEAD + key.array().length;
        }
        bytes += length(value) - length(old);
        if (sorted != null) {
            sorted.put(key, value);
        }
    }

    /** The entries from a key on, ascending; no entry may be put while they are read. */
    NavigableMap<Bytes, byte @Nullable []> from(Bytes key) {
        TreeMap<Bytes, byte @Nullable []> view = sorted;
        if (view == null) {
            view = new TreeMap<>(entries);
            sorted = view;
        }
        return view.tailMap(key, true);
    }

    private static long length(byte @Nullable [] value) {
        return value == null ? 0 : value.length;
    }
}
