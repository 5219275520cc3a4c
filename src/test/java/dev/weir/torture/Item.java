package dev.weir.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.zip.CRC32;

/**
 * An input record. Two by two the records of a partition move an amount from one key to another, so that behind each second one the
 * sums of all keys of the partition add up to nothing.
 */
record Item(int partition, long seq, String key, long delta) {

    /** As it stands in a record. */
    String text() {
        return sealed(partition + "," + seq + "," + key + "," + delta);
    }

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException if a bit of it has changed
     */
    static Item parse(String text) {
        var fields = opened(text, 4);
        return new Item(Integer.parseInt(fields[0]), Long.parseLong(fields[1]), fields[2], Long.parseLong(fields[3]));
    }

    /** The fields with their check sum. */
    static String sealed(String fields) {
        var crc = new CRC32();
        crc.update(fields.getBytes(UTF_8));
        return fields + "," + Long.toHexString(crc.getValue());
    }

    /** The fields of a text, proven. */
    static String[] opened(String text, int number) {
        int end = text.lastIndexOf(',');
        if (end < 0 || !sealed(text.substring(0, end)).equals(text)) {
            throw new IllegalArgumentException("Cannot read a record: its check sum is another one");
        }
        var fields = text.substring(0, end).split(",");
        if (fields.length != number) {
            throw new IllegalArgumentException("Cannot read a record: it has " + fields.length + " fields");
        }
        return fields;
    }
}
