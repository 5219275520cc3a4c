package dev.weir.codec;

import dev.weir.codec.UndecodableException.Part;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Keys and values of one processor's messages. {@code byte[]} stays as it is, {@code String} is UTF-8, every other type is JSON; a
 * topic for which a Kafka serde is configured uses that. No bytes (a tombstone) and null are each other; an empty array is not null.
 * Safe for use by several threads.
 */
public final class MessageCodec {

    private final Encoding encoding;
    private final Type keyType;
    private final Type valueType;
    private final Encoding.Decoder keyDecoder;
    private final Encoding.Decoder valueDecoder;
    private final Map<String, TopicSerdes> serdes;
    private final Map<String, Encoding.Decoder> keyDecoders = new HashMap<>();
    private final Map<String, Encoding.Decoder> valueDecoders = new HashMap<>();

    /**
     * @param mapper for JSON
     * @param keyType the type of the keys that the processor takes
     * @param valueType the type of the values that the processor takes
     * @param serdes by topic, inputs and outputs alike
     */
    public MessageCodec(JsonMapper mapper, Type keyType, Type valueType, Map<String, TopicSerdes> serdes) {
        this.encoding = new Encoding(mapper);
        this.keyType = keyType;
        this.valueType = valueType;
        this.keyDecoder = encoding.decoder(keyType);
        this.valueDecoder = encoding.decoder(valueType);
        this.serdes = Map.copyOf(serdes);
        this.serdes.forEach((topic, serde) -> {
            if (serde.key() != null) {
                keyDecoders.put(topic, Encoding.decoder(topic, serde.key()));
            }
            if (serde.value() != null) {
                valueDecoders.put(topic, Encoding.decoder(topic, serde.value()));
            }
        });
    }

    /**
     * The key of a record of an input topic; null for null.
     *
     * @throws UndecodableException if it is no key of the expected type
     */
    public @Nullable Object decodeKey(String topic, byte @Nullable [] bytes) {
        return decode(topic, Part.KEY, keyType, keyDecoders.getOrDefault(topic, keyDecoder), bytes);
    }

    /**
     * The value of a record of an input topic; null for null, and for JSON's {@code null}, which is no tombstone.
     *
     * @throws UndecodableException if it is no value of the expected type
     */
    public @Nullable Object decodeValue(String topic, byte @Nullable [] bytes) {
        return decode(topic, Part.VALUE, valueType, valueDecoders.getOrDefault(topic, valueDecoder), bytes);
    }

    /**
     * The bytes of an emitted key, by its class; null for null.
     *
     * @throws IllegalArgumentException if it cannot be encoded
     */
    public byte @Nullable [] encodeKey(String topic, @Nullable Object key) {
        TopicSerdes configured = serdes.get(topic);
        return encode(topic, Part.KEY, configured == null ? null : configured.key(), key);
    }

    /**
     * The bytes of an emitted value, by its class; null for null.
     *
     * @throws IllegalArgumentException if it cannot be encoded
     */
    public byte @Nullable [] encodeValue(String topic, @Nullable Object value) {
        TopicSerdes configured = serdes.get(topic);
        return encode(topic, Part.VALUE, configured == null ? null : configured.value(), value);
    }

    private static @Nullable Object decode(
            String topic, Part part, Type type, Encoding.Decoder decoder, byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        try {
            return decoder.decode(bytes);
        } catch (Exception e) {
            throw new UndecodableException(topic, part, type.getTypeName(), e);
        }
    }

    private byte @Nullable [] encode(String topic, Part part, @Nullable Serde<?> serde, @Nullable Object object) {
        if (object == null) {
            return null;
        }
        try {
            return serde == null ? encoding.encode(object) : Encoding.encode(topic, serde, object);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "Cannot emit to " + topic + ": the " + (part == Part.KEY ? "key" : "value") + ", a "
                            + object.getClass().getName() + ", cannot be encoded; " + e.getMessage(),
                    e);
        }
    }
}
