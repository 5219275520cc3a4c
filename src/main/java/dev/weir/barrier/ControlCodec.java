package dev.weir.barrier;

import static java.util.Map.entry;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import dev.weir.failure.CorruptionException;
import dev.weir.failure.StoppedException;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.ser.std.ToStringSerializer;

/**
 * Control records as JSON objects: the record's components and a {@code type} and a {@code format}. Readers ignore members and types
 * that they do not know; what they must not ignore gets another format, which they refuse.
 */
public final class ControlCodec {

    static final int FORMAT = 1;

    private static final Map<String, Class<? extends ControlRecord>> TYPES = Map.ofEntries(
            entry("slot-registered", ControlRecord.SlotRegistered.class),
            entry("slot-released", ControlRecord.SlotReleased.class),
            entry("slot-fenced", ControlRecord.SlotFenced.class),
            entry("inputs-registered", ControlRecord.InputsRegistered.class),
            entry("task-registered", ControlRecord.TaskRegistered.class),
            entry("task-admitted", ControlRecord.TaskAdmitted.class),
            entry("acknowledged", ControlRecord.Acknowledged.class),
            entry("declined", ControlRecord.Declined.class),
            entry("checkpoint-started", ControlRecord.CheckpointStarted.class),
            entry("markers-placed", ControlRecord.MarkersPlaced.class),
            entry("checkpoint-completed", ControlRecord.CheckpointCompleted.class),
            entry("checkpoint-abandoned", ControlRecord.CheckpointAbandoned.class),
            entry("full-state", ControlRecord.FullState.class));

    private static final JsonMapper JSON = JsonMapper.builder()
            .addModule(new SimpleModule()
                    .addSerializer(TopicPartition.class, new ToStringSerializer(TopicPartition.class))
                    .addSerializer(TaskId.class, new ToStringSerializer(TaskId.class))
                    .addDeserializer(TopicPartition.class, new Parsed<>(TopicPartition.class, TopicPartition::parse))
                    .addDeserializer(TaskId.class, new Parsed<>(TaskId.class, TaskId::parse))
                    .addKeyDeserializer(TopicPartition.class, new ParsedKey(TopicPartition::parse))
                    .addKeyDeserializer(TaskId.class, new ParsedKey(TaskId::parse)))
            .changeDefaultVisibility(
                    visibility -> visibility.withVisibility(PropertyAccessor.IS_GETTER, Visibility.NONE))
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private ControlCodec() {}

    /** A record's bytes. */
    public static byte[] encode(ControlRecord record) {
        ObjectNode node = JSON.valueToTree(record);
        node.put("type", typeOf(record));
        node.put("format", FORMAT);
        return JSON.writeValueAsBytes(node);
    }

    /**
     * The record that bytes stand for, or null if its type is not known here.
     *
     * @throws StoppedException if it is of another format, which a newer version of Weir has written
     * @throws CorruptionException if it is no control record
     */
    public static @Nullable ControlRecord decode(byte[] bytes) {
        try {
            if (!(JSON.readTree(bytes) instanceof ObjectNode node)) {
                throw new CorruptionException(
                        "Cannot read a control record: it is not a JSON object; see who else writes to"
                                + " the control topic");
            }
            int format = node.path("format").asInt(-1);
            if (format != FORMAT) {
                throw new StoppedException("Cannot read a control record: its format is " + format + " and only "
                        + FORMAT + " is known here; upgrade every instance of the domain");
            }
            var type = TYPES.get(node.path("type").asString(""));
            return type == null ? null : JSON.treeToValue(node, type);
        } catch (JacksonException e) {
            throw new CorruptionException(
                    "Cannot read a control record: it is damaged; see who else writes to the control topic", e);
        }
    }

    private static String typeOf(ControlRecord record) {
        return TYPES.entrySet().stream()
                .filter(type -> type.getValue() == record.getClass())
                .map(Map.Entry::getKey)
                .findAny()
                .orElseThrow();
    }

    private static final class Parsed<T> extends StdDeserializer<T> {
        private final transient Function<String, T> parse;

        Parsed(Class<T> type, Function<String, T> parse) {
            super(type);
            this.parse = parse;
        }

        @Override
        public T deserialize(JsonParser parser, DeserializationContext context) {
            return parse.apply(parser.getString());
        }
    }

    private static final class ParsedKey extends KeyDeserializer {
        private final Function<String, Object> parse;

        ParsedKey(Function<String, Object> parse) {
            this.parse = parse;
        }

        @Override
        public Object deserializeKey(String key, DeserializationContext context) {
            return parse.apply(key);
        }
    }
}
