package dev.weir.state;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The changes of the record being handled. Made for one or two of them; many are found by an index. */
final class Staging {

    static final int INDEX_FROM = 16;

    private Bytes[] keys = new Bytes[4];
    private @Nullable Object[] values = new Object[4];
    private int size;
    private final Map<Bytes, Integer> index = new HashMap<>();

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    Bytes key(int position) {
        return keys[position];
    }

    @Nullable
    Object value(int position) {
        return values[position];
    }

    /** The position of a key, or -1. */
    int find(Bytes key) {
        if (size > INDEX_FROM) {
            return index.getOrDefault(key, -1);
        }
        for (int i = size - 1; i >= 0; i--) {
            if (keys[i].equals(key)) {
                return i;
            }
        }
        return -1;
    }

    void put(Bytes key, @Nullable Object value) {
        int position = find(key);
        if (position >= 0) {
            values[position] = value;
            return;
        }
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, size * 2);
            values = Arrays.copyOf(values, size * 2);
        }
        keys[size] = key;
        values[size] = value;
        size++;
        if (size > INDEX_FROM) {
            indexNewest();
        }
    }

    void clear() {
        Arrays.fill(keys, 0, size, null);
        Arrays.fill(values, 0, size, null);
        if (size > INDEX_FROM) {
            index.clear();
        }
        size = 0;
    }

    private void indexNewest() {
        int from = size == INDEX_FROM + 1 ? 0 : size - 1;
        for (int i = from; i < size; i++) {
            index.put(keys[i], i);
        }
    }
}
