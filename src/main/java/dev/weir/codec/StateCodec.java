package dev.weir.codec;

import dev.weir.api.MapState;
import dev.weir.api.StateDescriptor;
import dev.weir.api.StateType;
import dev.weir.api.ValueState;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Codecs of state. {@code byte[]} stays as it is, {@code String} is UTF-8, every other type is JSON, unless the state names a Kafka
 * serde. Safe for use by several threads.
 */
public final class StateCodec {

    /** Stored bytes belong to who decodes them. */
    private static final Encoding.Decoder RAW = bytes -> bytes;

    private final Encoding encoding;
    private final ConcurrentMap<StateType<?>, Codec<?>> codecs = new ConcurrentHashMap<>();

    /** With this mapper for JSON. */
    public StateCodec(JsonMapper mapper) {
        this.encoding = new Encoding(mapper);
    }

    /** The codec of a type; the same one for equal types. */
    @SuppressWarnings("unchecked") // A codec is only ever kept under the type that it was made for.
    public <T> Codec<T> of(StateType<T> type) {
        return (Codec<T>) codecs.computeIfAbsent(type, this::make);
    }

    /**
     * A description of a state's kind and types, the same as long as stored bytes of it can be read: what was stored under one
     * description is not read under another.
     */
    public String describe(StateDescriptor state) {
        if (state instanceof ValueState<?> value) {
            return "value<" + describe(value.type()) + ">";
        }
        var map = (MapState<?, ?>) state;
        return "map<" + describe(map.keyType()) + ", " + describe(map.valueType()) + ">";
    }

    private static String describe(StateType<?> type) {
        if (type instanceof StateType.Json<?> json) {
            if (json.type() == String.class) {
                return "text";
            }
            return json.type() == byte[].class ? "bytes" : "json " + json.type().getTypeName();
        }
        Serde<?> serde = ((StateType.WithSerde<?>) type).serde();
        // A serde that is put together of a serializer and a deserializer says nothing by its own class.
        boolean composed = serde.getClass() == Serdes.WrapperSerde.class;
        return "serde " + stableName(composed ? serde.deserializer().getClass() : serde.getClass());
    }

    /** A class's name, for a lambda that of the class that it stands in: the rest changes from run to run. */
    private static String stableName(Class<?> type) {
        String name = type.getName();
        int lambda = name.indexOf("$$Lambda");
        return lambda < 0 ? name : name.substring(0, lambda);
    }

    private Codec<?> make(StateType<?> type) {
        if (type instanceof StateType.Json<?> json) {
            var decoder = json.type() == byte[].class ? RAW : encoding.decoder(json.type());
            return new ByRule(encoding, decoder, describe(type), Immutable.is(json.type()));
        }
        return new BySerde(((StateType.WithSerde<?>) type).serde());
    }

    private static final class ByRule implements Codec<Object> {

        private final Encoding encoding;
        private final Encoding.Decoder decoder;
        private final String description;
        private final boolean immutable;
        private volatile int typicalSize = 64;

        ByRule(Encoding encoding, Encoding.Decoder decoder, String description, boolean immutable) {
            this.encoding = encoding;
            this.decoder = decoder;
            this.description = description;
            this.immutable = immutable;
        }

        @Override
        public byte[] encode(Object value) {
            byte[] bytes = encoding.encode(value);
            if (immutable && bytes.length != typicalSize) {
                typicalSize = bytes.length;
            }
            return bytes;
        }

        @Override
        public boolean isImmutable() {
            return immutable;
        }

        @Override
        public int typicalSize() {
            return typicalSize;
        }

        @Override
        public Object decode(byte[] bytes) {
            return decoded(decoder, bytes, description);
        }
    }

    private record BySerde(Serde<?> serde) implements Codec<Object> {

        /** Serdes may ask for a topic; state is of none. */
        private static final String NO_TOPIC = "weir-state";

        @Override
        public byte[] encode(Object value) {
            byte @Nullable [] bytes = Encoding.encode(NO_TOPIC, serde, value);
            if (bytes == null) {
                throw new IllegalArgumentException(
                        "Cannot encode a " + value.getClass().getName() + ": "
                                + serde.getClass().getName() + " made null of it; clear the state instead");
            }
            return bytes;
        }

        @Override
        public Object decode(byte[] bytes) {
            return decoded(
                    Encoding.decoder(NO_TOPIC, serde), bytes, serde.getClass().getName());
        }
    }

    private static Object decoded(Encoding.Decoder decoder, byte[] bytes, String description) {
        @Nullable Object value;
        try {
            value = decoder.decode(bytes);
        } catch (Exception e) {
            throw new IllegalArgumentException(
                    "Cannot decode " + bytes.length + " stored bytes as " + description
                            + ": the state was written with another type; keep types readable or use a state of a new name",
                    e);
        }
        if (value == null) {
            throw new IllegalArgumentException(
                    "Cannot decode " + bytes.length + " stored bytes as " + description + ": they are of null");
        }
        return value;
    }
}
