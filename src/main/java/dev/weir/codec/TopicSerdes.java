package dev.weir.codec;

import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;

/**
 * The Kafka serdes configured for a topic; both must be safe for use by several threads.
 *
 * @param key for keys, or null for the rule of {@link MessageCodec}
 * @param value for values, or null for the rule of {@link MessageCodec}
 */
public record TopicSerdes(@Nullable Serde<?> key, @Nullable Serde<?> value) {}
