package dev.weir.codec;

import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The one rule for bytes: {@code byte[]} as it is, text as UTF-8, everything else as JSON, unless a serde is given. An array that a
 * user gets or gave is never the one that is kept: either may be changed afterwards.
 */
final class Encoding {

    private final JsonMapper mapper;
    private final ObjectWriter writer;

    Encoding(JsonMapper mapper) {
        this.mapper = mapper;
        // Equal values should have equal bytes: they are keys of partitions and of maps.
        this.writer = mapper.writer().with(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);
    }

    byte[] encode(Object value) {
        if (value instanceof byte[] raw) {
            return raw.clone();
        }
        if (value instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        try {
            return writer.writeValueAsBytes(value);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "Cannot encode a " + value.getClass().getName() + " as JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** How bytes become a value of this type. */
    Decoder decoder(Type type) {
        if (type == byte[].class) {
            return byte[]::clone;
        }
        if (type == String.class) {
            return Encoding::utf8;
        }
        ObjectReader reader = mapper.readerFor(mapper.constructType(type));
        return reader::readValue;
    }

    static Decoder decoder(String topic, Serde<?> serde) {
        return bytes -> {
            Object value = serde.deserializer().deserialize(topic, bytes);
            return value == bytes ? bytes.clone() : value;
        };
    }

    /** Whatever a class's serde is declared for, it gets what the user hands over; it throws ClassCastException for a wrong class. */
    @SuppressWarnings("unchecked")
    static byte @Nullable [] encode(String topic, Serde<?> serde, Object value) {
        byte @Nullable [] bytes = ((Serde<Object>) serde).serializer().serialize(topic, value);
        return bytes != null && bytes == value ? bytes.clone() : bytes;
    }

    static String utf8(byte[] bytes) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString();
    }

    /** Turns bytes into a value, or throws whatever tells that they are none. */
    @FunctionalInterface
    interface Decoder {
        @Nullable
        Object decode(byte[] bytes) throws Exception;
    }
}
