package dev.weir.state.rocks;

import dev.weir.state.Changes;
import dev.weir.state.Varint;
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

    private final byte[] bytes;
    private int at = HEADER;
    private int count;

    private RocksBatch(int size) {
        bytes = new byte[size];
    }

    /** A batch of an epoch's changes, and of its number under a key of its own. */
    static WriteBatch of(Changes changes, byte[] epochKey) {
        int[] size = {HEADER + 32};
        changes.visit((keys, keyOffset, keyLength, values, valueOffset, valueLength) ->
                size[0] = Math.addExact(size[0], 1 + 2 * MAX_NUMBER + keyLength + valueLength));
        var batch = new RocksBatch(size[0]);
        changes.visit((keys, keyOffset, keyLength, values, valueOffset, valueLength) -> {
            batch.add(values == null ? DELETION : VALUE, keys, keyOffset, keyLength);
            if (values != null) {
                batch.append(values, valueOffset, valueLength);
            }
        });
        batch.add(VALUE, epochKey, 0, epochKey.length);
        batch.append(ByteBuffer.allocate(Long.BYTES).putLong(changes.epoch()).array(), 0, Long.BYTES);
        return batch.finish();
    }

    private void add(byte tag, byte[] keys, int offset, int length) {
        bytes[at++] = tag;
        append(keys, offset, length);
        count++;
    }

    private void append(byte[] array, int offset, int length) {
        at = Varint.put(bytes, at, length);
        System.arraycopy(array, offset, bytes, at, length);
        at += length;
    }

    private WriteBatch finish() {
        ByteBuffer.wrap(bytes).putInt(COUNT_AT, Integer.reverseBytes(count));
        return new WriteBatch(at == bytes.length ? bytes : Arrays.copyOf(bytes, at));
    }
}
