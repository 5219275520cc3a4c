package dev.weir.state;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Changes above a store. Keys and values stand one behind the other in one array and are found by an open-addressing index, so that
 * an epoch's changes are a handful of objects to the garbage collector. It may be read by another thread once nothing is put any more;
 * the sorted view belongs to the owner alone, and exists only where scans are used.
 */
final class Overlay implements Entries {

    /** What {@link #get} returns where the overlay says nothing of a key; null says that it is removed. */
    static final Object ABSENT = new Object();

    /** Bytes of an entry besides its key's and value's: three lengths, hash, two places, its share of the index. */
    static final int ENTRY_OVERHEAD = 36;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final int SMALLEST = 16;
    private static final int MOST_SPARE = 1 << 20;
    private static final int REMOVED = -1;
    /** The value is an object beside the array. */
    private static final int LATER = -2;

    private long epoch;
    private int size;
    private long bytes;
    /** For each key its length and its bytes; for each value its room, its length and its bytes. */
    private byte[] data;

    private int end;
    private int[] hashes;
    private int[] keyAt;
    private int[] valueAt;
    private @Nullable Unencoded @Nullable [] later;
    /** Numbers of entries plus one; 0 is free. */
    private int[] index;

    private @Nullable TreeMap<Bytes, Integer> sorted;
    private int @Nullable [] order;

    private Overlay(int entries, int bytes, @Nullable TreeMap<Bytes, Integer> sorted) {
        this.data = new byte[bytes];
        this.hashes = new int[entries];
        this.keyAt = new int[entries];
        this.valueAt = new int[entries];
        this.index = new int[Integer.highestOneBit(Math.max(SMALLEST, entries * 2 - 1)) * 2];
        this.sorted = sorted;
    }

    /** An empty overlay of an epoch that has no number yet. */
    static Overlay running() {
        return new Overlay(SMALLEST, SMALLEST * 32, null);
    }

    /** An empty overlay that is sorted from the start if this one had to be, with room for as much as this one has now. */
    Overlay successor() {
        return new Overlay(
                Math.max(SMALLEST, size), Math.max(SMALLEST * 32, end), sorted == null ? null : new TreeMap<>());
    }

    /** Nothing is put any more; the changes are those of this epoch. */
    void freeze(long number) {
        epoch = number;
    }

    long epoch() {
        return epoch;
    }

    @Override
    public int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** How many bytes of the array are taken, by what is left behind too. */
    int taken() {
        return end;
    }

    /** Approximate heap bytes. */
    long bytes() {
        return bytes;
    }

    /** What it holds of a key: null, a copy of the bytes, or an {@link Unencoded}. */
    @Nullable
    Object get(Bytes key) {
        if (size == 0) {
            return ABSENT;
        }
        int entry = find(key);
        return entry < 0 ? ABSENT : held(entry);
    }

    boolean contains(Bytes key) {
        return size != 0 && find(key) >= 0;
    }

    /** What it holds of an entry. */
    @Nullable
    Object held(int entry) {
        int at = valueAt[entry];
        if (at == REMOVED) {
            return null;
        }
        return at == LATER ? laterOf(entry) : Entries.copy(data, at + 8, intAt(at + 4));
    }

    void put(Bytes key, @Nullable Object value) {
        int entry = find(key);
        if (entry < 0) {
            entry = add(key);
        } else {
            bytes -= valueSize(entry);
        }
        if (later != null) {
            later[entry] = null;
        }
        if (value == null) {
            valueAt[entry] = REMOVED;
        } else if (value instanceof Unencoded unencoded) {
            laters()[entry] = unencoded;
            valueAt[entry] = LATER;
        } else {
            write(entry, (byte[]) value);
        }
        bytes += valueSize(entry);
    }

    private void write(int entry, byte[] value) {
        int at = valueAt[entry];
        if (at < 0 || intAt(at) < value.length) {
            // What it leaves behind is lost until the epoch ends: a value that grows with each record must not take the
            // square of it.
            int left = at < 0 ? 0 : intAt(at);
            int room = (int) Math.max(value.length, Math.min(left * 2L, MOST_SPARE + (long) value.length));
            reserve(8 + room);
            at = end;
            setInt(at, room);
            end += 8 + room;
            valueAt[entry] = at;
            bytes += left;
        }
        setInt(at + 4, value.length);
        System.arraycopy(value, 0, data, at + 8, value.length);
    }

    private int add(Bytes key) {
        if (size == hashes.length) {
            grow();
        }
        int entry = size++;
        byte[] array = key.array();
        reserve(4 + array.length);
        setInt(end, array.length);
        System.arraycopy(array, 0, data, end + 4, array.length);
        hashes[entry] = spread(key.hashCode());
        keyAt[entry] = end;
        valueAt[entry] = REMOVED;
        end += 4 + array.length;
        bytes += (long) ENTRY_OVERHEAD + array.length;
        enter(entry);
        if (sorted != null) {
            sorted.put(key, entry);
        }
        return entry;
    }

    private void grow() {
        int capacity = size * 2;
        hashes = Arrays.copyOf(hashes, capacity);
        keyAt = Arrays.copyOf(keyAt, capacity);
        valueAt = Arrays.copyOf(valueAt, capacity);
        if (later != null) {
            later = Arrays.copyOf(later, capacity);
        }
        index = new int[index.length * 2];
        for (int entry = 0; entry < size; entry++) {
            enter(entry);
        }
    }

    private void reserve(int length) {
        if (data.length - end < length) {
            long wanted = Math.max((long) end + length, Math.min(data.length * 2L, Integer.MAX_VALUE - 8));
            if (wanted > Integer.MAX_VALUE - 8) {
                throw new IllegalStateException("Cannot hold an epoch's changes: they take more than 2 GiB; lower"
                        + " weir.limits.overlay-bytes");
            }
            data = Arrays.copyOf(data, (int) wanted);
        }
    }

    private void enter(int entry) {
        int mask = index.length - 1;
        int slot = hashes[entry] & mask;
        while (index[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        index[slot] = entry + 1;
    }

    private int find(Bytes key) {
        int hash = spread(key.hashCode());
        int mask = index.length - 1;
        for (int slot = hash & mask; index[slot] != 0; slot = (slot + 1) & mask) {
            int entry = index[slot] - 1;
            if (hashes[entry] == hash && holds(entry, key.array())) {
                return entry;
            }
        }
        return -1;
    }

    private boolean holds(int entry, byte[] key) {
        int at = keyAt[entry];
        return intAt(at) == key.length && Arrays.equals(data, at + 4, at + 4 + key.length, key, 0, key.length);
    }

    private long valueSize(int entry) {
        int at = valueAt[entry];
        return at == REMOVED ? 0 : at == LATER ? laterOf(entry).size() : intAt(at + 4);
    }

    private Unencoded laterOf(int entry) {
        var all = later;
        var found = all == null ? null : all[entry];
        if (found == null) {
            throw new IllegalStateException("Cannot find value " + entry + " of an overlay");
        }
        return found;
    }

    private @Nullable Unencoded[] laters() {
        var all = later;
        if (all == null) {
            all = new Unencoded[hashes.length];
            later = all;
        }
        return all;
    }

    /** The numbers of the entries from a key on, ascending; no entry may be put while they are read. */
    NavigableMap<Bytes, Integer> from(Bytes key) {
        var view = sorted;
        if (view == null) {
            view = new TreeMap<>();
            for (int entry = 0; entry < size; entry++) {
                view.put(Bytes.of(Entries.copy(data, keyAt[entry] + 4, intAt(keyAt[entry]))), entry);
            }
            sorted = view;
        }
        return view.tailMap(key, true);
    }

    @Override
    public void visit(Entries.Visitor visitor) {
        int[] ascending = order;
        if (ascending == null) {
            ascending = new EntryOrder(data, keyAt, size).ascending();
            order = ascending;
        }
        for (int entry : ascending) {
            int key = keyAt[entry];
            int value = valueAt[entry];
            if (value == REMOVED) {
                visitor.visit(data, key + 4, intAt(key), null, 0, 0);
            } else if (value == LATER) {
                byte[] encoded = laterOf(entry).bytes();
                visitor.visit(data, key + 4, intAt(key), encoded, 0, encoded.length);
            } else {
                visitor.visit(data, key + 4, intAt(key), data, value + 8, intAt(value + 4));
            }
        }
    }

    private int intAt(int at) {
        return (int) INT.get(data, at);
    }

    private void setInt(int at, int value) {
        INT.set(data, at, value);
    }

    private static int spread(int hash) {
        int mixed = hash * 0x85EBCA6B;
        return mixed ^ mixed >>> 15;
    }
}
