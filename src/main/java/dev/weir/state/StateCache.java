package dev.weir.state;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the stores of a thread's tasks hold, in memory: values of committed state, and that a key has none. It is shared by the tasks
 * of one thread and owned by that thread.
 *
 * <p>Entries stand one behind the other in segments of bytes, so that a million of them are no objects to the garbage collector, and
 * are found by an open-addressing index. A value that fits where the old one stood is overwritten there. When all segments are full,
 * the one that was begun longest ago is emptied but for what was read since ("second chance", after Corbató's paging experiment, 1968).
 */
public final class StateCache {

    /** What {@link #get} returns where the cache says nothing of a key; null says that the store has none. */
    static final byte[] ABSENT = new byte[0];

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final int ALIGNMENT = 8;
    private static final int SEGMENTS_AT_LEAST = 16;
    private static final int SMALLEST_SEGMENT = 1 << 10;
    private static final int LARGEST_SEGMENT = 256 << 10;

    // An entry: hash, owner, key length with the mark in its highest bit, value length or -1, room for the value, key,
    // value.
    private static final int OWNER_AT = 4;
    private static final int KEY_LENGTH_AT = 8;
    private static final int VALUE_LENGTH_AT = 12;
    private static final int ROOM_AT = 16;
    private static final int HEADER = 20;
    private static final int MARK = 1 << 31;

    private final int segmentBytes;
    /** By how many bits a position is shifted to become the number of its segment. */
    private final int shift;

    private final byte[][] segments;
    private final int[] ends;
    private int head;
    private int at;
    private int owners;
    private int size;
    /** Hash in the upper half, position plus one in the lower; 0 is free. */
    private long[] index = new long[1024];

    /** A cache that takes about this many bytes when it is full, and a third more for its index; 0 for one that keeps nothing. */
    public StateCache(long maxBytes) {
        long wanted = Long.highestOneBit(Math.max(1, maxBytes / SEGMENTS_AT_LEAST));
        this.segmentBytes = (int) Math.max(SMALLEST_SEGMENT, Math.min(LARGEST_SEGMENT, wanted));
        this.shift = Integer.numberOfTrailingZeros(segmentBytes / ALIGNMENT);
        long count = maxBytes == 0 ? 0 : Math.max(2, maxBytes / segmentBytes);
        this.segments = new byte[(int) Math.min(count, Integer.MAX_VALUE >>> shift)][];
        this.ends = new int[segments.length];
    }

    /** Whether it keeps anything at all. */
    boolean isEnabled() {
        return segments.length > 0;
    }

    /** A name for a store's entries; those of other names are never seen under it. */
    int newOwner() {
        return ++owners;
    }

    /** How many entries there are. */
    int size() {
        return size;
    }

    /** The value of a key, null if it is known that it has none, or {@link #ABSENT}. */
    byte @Nullable [] get(int owner, Bytes key) {
        int slot = find(owner, key);
        if (slot < 0) {
            return ABSENT;
        }
        int position = positionOf(index[slot]);
        byte[] segment = segmentOf(position);
        int start = offsetOf(position);
        int keyLength = (int) INT.get(segment, start + KEY_LENGTH_AT);
        if (keyLength >= 0) {
            INT.set(segment, start + KEY_LENGTH_AT, keyLength | MARK);
        }
        int length = (int) INT.get(segment, start + VALUE_LENGTH_AT);
        if (length < 0) {
            return null;
        }
        int from = start + HEADER + (keyLength & ~MARK);
        return Arrays.copyOfRange(segment, from, from + length);
    }

    boolean contains(int owner, Bytes key) {
        return find(owner, key) >= 0;
    }

    /** Keeps a key's value, or by null that it has none. What is too large is not kept. */
    void put(int owner, Bytes key, byte @Nullable [] value) {
        byte[] array = key.array();
        put(owner, array, 0, array.length, value, 0, value == null ? 0 : value.length);
    }

    /** The same for a key and value that stand in longer arrays. */
    void put(
            int owner,
            byte[] keys,
            int keyOffset,
            int keyLength,
            byte @Nullable [] values,
            int valueOffset,
            int valueLength) {
        if (segments.length == 0) {
            return;
        }
        int hash = hash(owner, Bytes.hash(keys, keyOffset, keyLength));
        int slot = find(owner, keys, keyOffset, keyLength, hash);
        if (slot >= 0 && overwrite(positionOf(index[slot]), values, valueOffset, valueLength)) {
            return;
        }
        if (slot >= 0) {
            release(slot);
        }
        long wanted = (long) HEADER + keyLength + valueLength;
        if (wanted > segmentBytes / 4) {
            return;
        }
        int length = aligned((int) wanted);
        byte[] segment = room(length);
        INT.set(segment, at, hash);
        INT.set(segment, at + OWNER_AT, owner);
        INT.set(segment, at + KEY_LENGTH_AT, keyLength);
        INT.set(segment, at + VALUE_LENGTH_AT, values == null ? -1 : valueLength);
        INT.set(segment, at + ROOM_AT, length - HEADER - keyLength);
        System.arraycopy(keys, keyOffset, segment, at + HEADER, keyLength);
        if (values != null) {
            System.arraycopy(values, valueOffset, segment, at + HEADER + keyLength, valueLength);
        }
        enter(hash, position(head, at));
        at += length;
    }

    private boolean overwrite(int position, byte @Nullable [] values, int valueOffset, int valueLength) {
        byte[] segment = segmentOf(position);
        int start = offsetOf(position);
        if (valueLength > (int) INT.get(segment, start + ROOM_AT)) {
            return false;
        }
        INT.set(segment, start + VALUE_LENGTH_AT, values == null ? -1 : valueLength);
        if (values != null) {
            int keyLength = (int) INT.get(segment, start + KEY_LENGTH_AT) & ~MARK;
            System.arraycopy(values, valueOffset, segment, start + HEADER + keyLength, valueLength);
        }
        return true;
    }

    /** The segment in which an entry of this length can be put at {@link #at}. */
    private byte[] room(int length) {
        if (segments[head] != null && at + length > segmentBytes) {
            ends[head] = at;
            head = (head + 1) % segments.length;
            at = segments[head] == null ? 0 : survivors(head);
        }
        if (segments[head] == null) {
            segments[head] = new byte[segmentBytes];
        }
        return segments[head];
    }

    /** Empties a full segment but for entries that were read since it was filled, at most a half of it; where they end now. */
    private int survivors(int number) {
        byte[] segment = segments[number];
        int kept = 0;
        int length;
        for (int from = 0; from < ends[number]; from += length) {
            int keyLength = (int) INT.get(segment, from + KEY_LENGTH_AT);
            length = HEADER + (keyLength & ~MARK) + (int) INT.get(segment, from + ROOM_AT);
            int hash = (int) INT.get(segment, from);
            int slot = slotOf(hash, position(number, from));
            if (slot < 0) {
                continue;
            }
            if (keyLength < 0 && kept + length <= segmentBytes / 2) {
                System.arraycopy(segment, from, segment, kept, length);
                INT.set(segment, kept + KEY_LENGTH_AT, keyLength & ~MARK);
                index[slot] = entry(hash, position(number, kept));
                kept += length;
            } else {
                release(slot);
            }
        }
        return kept;
    }

    private int find(int owner, Bytes key) {
        byte[] array = key.array();
        return find(owner, array, 0, array.length, hash(owner, key.hashCode()));
    }

    private int find(int owner, byte[] keys, int keyOffset, int keyLength, int hash) {
        int mask = index.length - 1;
        for (int slot = hash & mask; index[slot] != 0; slot = (slot + 1) & mask) {
            long entry = index[slot];
            if ((int) (entry >>> 32) == hash && holds(positionOf(entry), owner, keys, keyOffset, keyLength)) {
                return slot;
            }
        }
        return -1;
    }

    private boolean holds(int position, int owner, byte[] keys, int keyOffset, int keyLength) {
        byte[] segment = segmentOf(position);
        int start = offsetOf(position);
        int from = start + HEADER;
        return (int) INT.get(segment, start + OWNER_AT) == owner
                && ((int) INT.get(segment, start + KEY_LENGTH_AT) & ~MARK) == keyLength
                && Arrays.equals(segment, from, from + keyLength, keys, keyOffset, keyOffset + keyLength);
    }

    private int slotOf(int hash, int position) {
        int mask = index.length - 1;
        long wanted = entry(hash, position);
        for (int slot = hash & mask; index[slot] != 0; slot = (slot + 1) & mask) {
            if (index[slot] == wanted) {
                return slot;
            }
        }
        return -1;
    }

    private void enter(int hash, int position) {
        if ((size + 1) * 8L > index.length * 5L) {
            long[] before = index;
            index = new long[before.length * 2];
            for (long entry : before) {
                if (entry != 0) {
                    index[free((int) (entry >>> 32))] = entry;
                }
            }
        }
        index[free(hash)] = entry(hash, position);
        size++;
    }

    private int free(int hash) {
        int mask = index.length - 1;
        int slot = hash & mask;
        while (index[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    /** Frees a slot and moves up what stood behind it because it was taken (Knuth, volume 3, 6.4, algorithm R). */
    private void release(int slot) {
        int mask = index.length - 1;
        int hole = slot;
        for (int next = (hole + 1) & mask; index[next] != 0; next = (next + 1) & mask) {
            int home = (int) (index[next] >>> 32) & mask;
            if (((next - home) & mask) >= ((next - hole) & mask)) {
                index[hole] = index[next];
                hole = next;
            }
        }
        index[hole] = 0;
        size--;
    }

    private static int hash(int owner, int keyHash) {
        int hash = (keyHash + owner * 0x9E3779B9) * 0x85EBCA6B;
        hash ^= hash >>> 15;
        hash *= 0xC2B2AE35;
        return hash ^ hash >>> 16;
    }

    private static long entry(int hash, int position) {
        return (long) hash << 32 | (position + 1);
    }

    private static int positionOf(long entry) {
        return (int) entry - 1;
    }

    private int position(int segment, int offset) {
        return segment << shift | offset / ALIGNMENT;
    }

    private byte[] segmentOf(int position) {
        return segments[position >>> shift];
    }

    private int offsetOf(int position) {
        return (position & (1 << shift) - 1) * ALIGNMENT;
    }

    private static int aligned(int length) {
        return (length + ALIGNMENT - 1) & -ALIGNMENT;
    }
}
