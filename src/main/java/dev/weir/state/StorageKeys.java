package dev.weir.state;

import java.util.Arrays;

/**
 * The keys of a task's store: the state's number in two bytes, then for a value state the key, for a map state the key's length, the
 * key and the map's key. The entries of one map are therefore neighbours, in the order of the map's encoded keys. Keys may be empty.
 */
public final class StorageKeys {

    /** The largest number of a state; the smallest is 1, since 0 is reserved for the store itself. */
    public static final int MAX_STATE = 0xFFFF;

    private StorageKeys() {}

    /** The storage key of a value state. */
    public static byte[] value(int state, byte[] key) {
        byte[] storageKey = new byte[2 + key.length];
        putState(storageKey, state);
        System.arraycopy(key, 0, storageKey, 2, key.length);
        return storageKey;
    }

    /** The storage key of a map's entry. */
    public static byte[] mapEntry(int state, byte[] key, byte[] mapKey) {
        return map(state, key, mapKey);
    }

    /** What the storage keys of all entries of one key's map, and of no other, begin with. */
    public static byte[] mapPrefix(int state, byte[] key) {
        return map(state, key, new byte[0]);
    }

    /** What all storage keys of a state begin with. */
    public static byte[] statePrefix(int state) {
        byte[] prefix = new byte[2];
        putState(prefix, state);
        return prefix;
    }

    /** The number of the state that a storage key belongs to. */
    public static int stateOf(byte[] storageKey) {
        return (storageKey[0] & 0xFF) << 8 | (storageKey[1] & 0xFF);
    }

    /** The key in a value state's storage key. */
    public static byte[] keyOfValue(byte[] storageKey) {
        return Arrays.copyOfRange(storageKey, 2, storageKey.length);
    }

    /** The key in the storage key of a map's entry. */
    public static byte[] keyOfMapEntry(byte[] storageKey) {
        int end = endOfKey(storageKey);
        return Arrays.copyOfRange(storageKey, end - Varint.get(storageKey, 2, storageKey.length), end);
    }

    /** The map's key in the storage key of a map's entry. */
    public static byte[] mapKeyOf(byte[] storageKey) {
        return Arrays.copyOfRange(storageKey, endOfKey(storageKey), storageKey.length);
    }

    private static int endOfKey(byte[] storageKey) {
        int length = Varint.get(storageKey, 2, storageKey.length);
        int start = 2 + Varint.size(length);
        if (length > storageKey.length - start) {
            throw new IllegalArgumentException("Cannot split storage key " + Bytes.of(storageKey) + ": it is cut off");
        }
        return start + length;
    }

    /** Whether a key begins with a prefix. */
    static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    /** Whether a key is one that the store keeps for itself or that no state can have. */
    public static boolean isReserved(byte[] storageKey) {
        return storageKey.length < 2 || stateOf(storageKey) == 0;
    }

    private static byte[] map(int state, byte[] key, byte[] mapKey) {
        byte[] storageKey = new byte[2 + Varint.size(key.length) + key.length + mapKey.length];
        putState(storageKey, state);
        int at = Varint.put(storageKey, 2, key.length);
        System.arraycopy(key, 0, storageKey, at, key.length);
        System.arraycopy(mapKey, 0, storageKey, at + key.length, mapKey.length);
        return storageKey;
    }

    private static void putState(byte[] target, int state) {
        if (state < 1 || state > MAX_STATE) {
            throw new IllegalArgumentException(
                    "Cannot make a storage key: state number " + state + " is not from 1 to " + MAX_STATE);
        }
        target[0] = (byte) (state >>> 8);
        target[1] = (byte) state;
    }
}
