package dev.weir.kafka;

import dev.weir.api.Headers;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A record to be sent. {@code timestamp} is −1 to let the producer set it. The partition follows from the key. */
public record Output(String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers, long timestamp) {

    /** Length, attributes, timestamp and offset of a record, and the header of a batch that holds nothing else. */
    private static final int OVERHEAD = 21 + 61;

    private static final int LENGTH = 5;

    /** The bytes that the record has on the wire, uncompressed and in a batch of its own: an upper bound. */
    public int sizeBound() {
        long size = OVERHEAD + lengthOf(key) + lengthOf(value) + LENGTH;
        for (var header : headers) {
            size += lengthOf(header.name().getBytes(StandardCharsets.UTF_8)) + lengthOf(header.value());
        }
        return (int) Math.min(size, Integer.MAX_VALUE);
    }

    private static long lengthOf(byte @Nullable [] bytes) {
        return LENGTH + (bytes == null ? 0L : bytes.length);
    }
}
