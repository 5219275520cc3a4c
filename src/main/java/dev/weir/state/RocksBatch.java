package dev.weir.state;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.rocksdb.WriteBatch;

/**
 * Changes as one batch for RocksDB. It is put together here, in the form in which RocksDB itself logs batches (sequence number and
 * count, little-endian; for each entry a tag, then key and value with their lengths), since handing over each entry by itself costs
 * more than writing it.
 */
final class RocksBatch {

    private static final int HEADER = 12;
    private static final int COUNT_AT = 8;
    private static final int MAX_NUMBER = 5;
    private static final byte DELETION = 0;
    private static final byte VALUE = 1;

    private byte[] bytes;
    private int at = HEADER;
    private int count;

    private RocksBatch(int size) {
        bytes = new byte[size];
    }

    /** A batch of an epoch's changes, and of its number under a key of its own. */
    static WriteBatch of(Changes changes, byte[] epochKey) {
        int[] size = {HEADER + 32};
        changes.forEach((key, value) -> size[0] =
                Math.addExact(size[0], 1 + 2 * MAX_NUMBER + key.array().length + (value == null ? 0 : value.length)));
        var batch = new RocksBatch(size[0]);
        changes.forEach((key, value) -> {
            if (value == null) {
                batch.add(DELETION, key.array());
            } else {
                batch.add(VALUE, key.array());
                batch.append(value);
            }
        });
        batch.add(VALUE, epochKey);
        batch.append(ByteBuffer.allocate(Long.BYTES).putLong(changes.epoch()).array());
        return batch.finish();
    }

    private void add(byte tag, byte[] key) {
        bytes[at++] = tag;
        append(key);
        count++;
    }

    private void append(byte[] part) {
        at = Varint.put(bytes, at, part.length);
        System.arraycopy(part, 0, bytes, at, part.length);
        at += part.length;
    }

    private WriteBatch finish() {
        ByteBuffer.wrap(bytes).putInt(COUNT_AT, Integer.reverseBytes(count));
        return new WriteBatch(at == bytes.length ? bytes : Arrays.copyOf(bytes, at));
    }
}
