package dev.weir.testkit;

/** Kafka's default choice of a partition by the key: a 32-bit Murmur 2 hash. */
final class KeyPartitions {

    private static final int MULTIPLIER = 0x5bd1e995;
    private static final int SEED = 0x9747b28c;

    private KeyPartitions() {}

    static int of(byte[] key, int partitions) {
        return (hash(key) & Integer.MAX_VALUE) % partitions;
    }

    private static int hash(byte[] data) {
        int hash = SEED ^ data.length;
        int whole = data.length & ~3;
        for (int i = 0; i < whole; i += 4) {
            int word = byteAt(data, i) | byteAt(data, i + 1) << 8 | byteAt(data, i + 2) << 16 | data[i + 3] << 24;
            word *= MULTIPLIER;
            word ^= word >>> 24;
            word *= MULTIPLIER;
            hash = hash * MULTIPLIER ^ word;
        }
        if (whole < data.length) {
            for (int i = data.length - 1; i >= whole; i--) {
                hash ^= byteAt(data, i) << 8 * (i - whole);
            }
            hash *= MULTIPLIER;
        }
        hash ^= hash >>> 13;
        hash *= MULTIPLIER;
        return hash ^ hash >>> 15;
    }

    private static int byteAt(byte[] data, int index) {
        return data[index] & 0xff;
    }
}
