package dev.weir.kafka;

import dev.weir.api.Headers;
import org.jspecify.annotations.Nullable;

/** A record to be sent. {@code timestamp} is −1 to let the producer set it. The partition follows from the key. */
public record Output(String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers, long timestamp) {}
