package dev.weir.state;

import dev.weir.failure.CorruptionException;
import dev.weir.topology.TaskId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Changes as bytes. Equal changes have equal bytes. A section holds one task's changes and can be read on its own:
 *
 * <pre>
 * "WDLT" | version 1 | compression (0 none) | CRC-32C of what follows
 *        | processor length, UTF-8 | partition | epoch, 8 bytes | number of entries
 *        | per entry, ascending: key length, key | 0 if removed, else value length + 1, value
 * </pre>
 *
 * Numbers without a stated size are unsigned varints.
 */
public final class DeltaCodec {

    private static final int MAGIC = 0x57444C54;
    private static final byte VERSION = 1;
    private static final byte UNCOMPRESSED = 0;
    private static final int CHECKSUM_AT = 6;
    private static final int BODY_AT = 10;

    private DeltaCodec() {}

    /**
     * Where a task's changes stand in the encoded bytes.
     *
     * @param offset the first byte
     * @param length how many bytes
     */
    public record Section(TaskId task, long epoch, int offset, int length) {}

    /** Encoded changes; the sections follow each other without a gap, in the order in which the changes were given. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody; the bytes are written out at once
    public record Encoded(byte[] bytes, List<Section> sections) {}

    /**
     * Encodes the changes of several tasks.
     *
     * @throws IllegalArgumentException if they take more than 2 GiB
     */
    public static Encoded encode(List<Changes> changes) {
        long total = 0;
        for (Changes one : changes) {
            total += size(one);
        }
        if (total > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("Cannot encode the changes of " + changes.size() + " tasks: they take "
                    + total + " bytes, more than 2 GiB; end the epoch earlier");
        }
        byte[] bytes = new byte[(int) total];
        List<Section> sections = new ArrayList<>(changes.size());
        int at = 0;
        for (Changes one : changes) {
            int end = write(one, bytes, at);
            sections.add(new Section(one.task(), one.epoch(), at, end - at));
            at = end;
        }
        return new Encoded(bytes, sections);
    }

    /**
     * Decodes a section, which is referred to afterwards and must not be changed. The entries are in ascending order.
     *
     * @throws CorruptionException if the bytes are not exactly one section, or one of a newer version
     */
    public static Changes decode(byte[] section) {
        if (section.length < BODY_AT || ByteBuffer.wrap(section).getInt() != MAGIC) {
            throw corrupt("it does not begin like one, or is cut off at " + section.length + " bytes", null);
        }
        if (section[4] != VERSION) {
            throw corrupt(
                    "its version " + (section[4] & 0xFF) + " is unknown; use a version of Weir at least as new as the"
                            + " one that wrote it",
                    null);
        }
        if (section[5] != UNCOMPRESSED) {
            throw corrupt("its compression " + (section[5] & 0xFF) + " is unknown", null);
        }
        if (ByteBuffer.wrap(section).getInt(CHECKSUM_AT) != checksum(section, BODY_AT, section.length)) {
            throw corrupt("its checksum does not match, so that it is damaged or cut off", null);
        }
        try {
            return new Reader(section).changes();
        } catch (IllegalArgumentException e) {
            throw corrupt(String.valueOf(e.getMessage()), e);
        }
    }

    private static CorruptionException corrupt(String reason, @Nullable Throwable cause) {
        return new CorruptionException("Cannot decode a delta: " + reason, cause);
    }

    private static int checksum(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return (int) crc.getValue();
    }

    private static long size(Changes changes) {
        int name = changes.task().processor().getBytes(StandardCharsets.UTF_8).length;
        long size = (long) BODY_AT
                + Varint.size(name)
                + name
                + Varint.size(changes.task().partition())
                + Long.BYTES;
        long[] sum = {size + Varint.size(changes.size())};
        changes.visit((keys, keyOffset, keyLength, values, valueOffset, valueLength) -> {
            sum[0] += Varint.size(keyLength) + (long) keyLength;
            sum[0] += values == null ? 1 : Varint.size(valueLength + 1) + (long) valueLength;
        });
        return sum[0];
    }

    private static int write(Changes changes, byte[] bytes, int start) {
        ByteBuffer header = ByteBuffer.wrap(bytes);
        header.position(start);
        header.putInt(MAGIC).put(VERSION).put(UNCOMPRESSED);
        int at = putBytes(bytes, start + BODY_AT, changes.task().processor().getBytes(StandardCharsets.UTF_8));
        at = Varint.put(bytes, at, changes.task().partition());
        header.putLong(at, changes.epoch());
        int[] next = {Varint.put(bytes, at + Long.BYTES, changes.size())};
        changes.visit((keys, keyOffset, keyLength, values, valueOffset, valueLength) -> {
            int here = Varint.put(bytes, next[0], keyLength);
            System.arraycopy(keys, keyOffset, bytes, here, keyLength);
            here = Varint.put(bytes, here + keyLength, values == null ? 0 : valueLength + 1);
            if (values != null) {
                System.arraycopy(values, valueOffset, bytes, here, valueLength);
            }
            next[0] = here + valueLength;
        });
        header.putInt(start + CHECKSUM_AT, checksum(bytes, start + BODY_AT, next[0]));
        return next[0];
    }

    private static int putBytes(byte[] target, int at, byte[] source) {
        int next = Varint.put(target, at, source.length);
        System.arraycopy(source, 0, target, next, source.length);
        return next + source.length;
    }

    private static final class Reader {

        private final byte[] section;
        private int at = BODY_AT;

        Reader(byte[] section) {
            this.section = section;
        }

        Changes changes() {
            String processor = new String(take(number()), StandardCharsets.UTF_8);
            TaskId task = new TaskId(processor, number());
            long epoch = ByteBuffer.wrap(take(Long.BYTES)).getLong();
            int count = number();
            if (count > (section.length - at) / 2) {
                throw new IllegalArgumentException("it cannot hold the " + count + " entries that it names");
            }
            int[] ranges = new int[count * 4];
            for (int i = 0; i < ranges.length; i += 4) {
                ranges[i + 1] = number();
                ranges[i] = skip(ranges[i + 1]);
                if (i > 0 && compare(ranges, i - 4, i) >= 0) {
                    throw new IllegalArgumentException("its entries are not in ascending order");
                }
                ranges[i + 3] = number() - 1;
                ranges[i + 2] = skip(Math.max(0, ranges[i + 3]));
            }
            if (at != section.length) {
                throw new IllegalArgumentException((section.length - at) + " bytes follow its last entry");
            }
            return new Changes(task, epoch, Entries.in(section, ranges));
        }

        private int compare(int[] ranges, int one, int other) {
            return Arrays.compareUnsigned(
                    section,
                    ranges[one],
                    ranges[one] + ranges[one + 1],
                    section,
                    ranges[other],
                    ranges[other] + ranges[other + 1]);
        }

        private int number() {
            int value = Varint.get(section, at, section.length);
            at += Varint.size(value);
            return value;
        }

        private byte[] take(int length) {
            int from = skip(length);
            return Entries.copy(section, from, length);
        }

        /** Where something of a length begins, which is passed. */
        private int skip(int length) {
            if (length > section.length - at) {
                throw new IllegalArgumentException("it is cut off at byte " + section.length);
            }
            at += length;
            return at - length;
        }
    }
}
