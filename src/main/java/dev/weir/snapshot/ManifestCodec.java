package dev.weir.snapshot;

import dev.weir.barrier.DomainState.Ancestor;
import dev.weir.barrier.ManifestRef;
import dev.weir.barrier.TaskCut;
import dev.weir.failure.ConfigurationException;
import dev.weir.snapshot.Manifest.Base;
import dev.weir.snapshot.Manifest.BaseFile;
import dev.weir.snapshot.Manifest.Delta;
import dev.weir.snapshot.Manifest.LastCut;
import dev.weir.snapshot.Manifest.Range;
import dev.weir.snapshot.Manifest.StateEntry;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Manifests as JSON. The same value always gives the same bytes: fields in a fixed order, the format's version first, maps in
 * ascending order of their keys, lists as they are, no white space. A reader ignores fields that it does not know and refuses
 * formats that it does not know.
 */
final class ManifestCodec {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private ManifestCodec() {}

    static byte[] encode(Manifest manifest) {
        requireFormat(manifest.format(), Manifest.FORMAT);
        var json = NODES.objectNode()
                .put("format", manifest.format())
                .put("domain", manifest.domain())
                .put("incarnation", manifest.incarnation());
        json.set("lineage", lineage(manifest.lineage()));
        json.put("slot", manifest.slot())
                .put("slotEpoch", manifest.slotEpoch())
                .put("createdAtMillis", manifest.createdAtMillis());
        json.set("tasks", array(manifest.tasks(), ManifestCodec::snapshot));
        return JSON.writeValueAsBytes(json);
    }

    static byte[] encode(CheckpointManifest checkpoint) {
        requireFormat(checkpoint.format(), CheckpointManifest.FORMAT);
        var json = NODES.objectNode()
                .put("format", checkpoint.format())
                .put("domain", checkpoint.domain())
                .put("checkpoint", checkpoint.checkpoint())
                .put("incarnation", checkpoint.incarnation());
        json.set("lineage", lineage(checkpoint.lineage()));
        json.put("outcome", checkpoint.outcome().name().toLowerCase(Locale.ROOT))
                .put("reason", checkpoint.reason())
                .put("startedAtMillis", checkpoint.startedAtMillis())
                .put("decidedAtMillis", checkpoint.decidedAtMillis())
                .put("decidedBy", checkpoint.decidedBy());
        json.set("markers", positions(checkpoint.markers()));
        json.set("cuts", array(checkpoint.cuts(), ManifestCodec::cut));
        return JSON.writeValueAsBytes(json);
    }

    /**
     * Reads a manifest.
     *
     * @param name the object's name, for messages
     * @throws dev.weir.failure.CorruptionException if the bytes are not a manifest
     * @throws ConfigurationException if a newer version of Weir is needed to read it
     */
    static Manifest decodeManifest(String name, byte[] content) {
        var fields = document("manifest " + name, content, Manifest.FORMAT);
        return new Manifest(
                Manifest.FORMAT,
                fields.text("domain"),
                fields.number("incarnation"),
                lineage(fields),
                fields.text("slot"),
                fields.number("slotEpoch"),
                fields.number("createdAtMillis"),
                fields.list("tasks", ManifestCodec::snapshot));
    }

    /** Reads what was decided about a checkpoint; like {@link #decodeManifest}. */
    static CheckpointManifest decodeCheckpoint(String name, byte[] content) {
        var fields = document("checkpoint manifest " + name, content, CheckpointManifest.FORMAT);
        return new CheckpointManifest(
                CheckpointManifest.FORMAT,
                fields.text("domain"),
                fields.number("checkpoint"),
                fields.number("incarnation"),
                lineage(fields),
                fields.parsed(
                        "outcome",
                        text -> CheckpointManifest.Outcome.valueOf(text.toUpperCase(Locale.ROOT)),
                        "complete or abandoned"),
                fields.textOrNull("reason"),
                fields.number("startedAtMillis"),
                fields.number("decidedAtMillis"),
                fields.text("decidedBy"),
                positions(fields, "markers"),
                fields.list("cuts", ManifestCodec::cut));
    }

    private static void requireFormat(int format, int written) {
        if (format != written) {
            throw new IllegalArgumentException(
                    "Cannot write a manifest of format " + format + ": this version writes " + written);
        }
    }

    private static JsonFields document(String source, byte[] content, int readable) {
        JsonNode tree;
        try {
            tree = JSON.readTree(content);
        } catch (JacksonException e) {
            throw JsonFields.malformed(source, "it is not JSON (" + content.length + " bytes)");
        }
        var fields = JsonFields.of(source, tree);
        long format = fields.number("format", version -> version > 0, "a format's version");
        if (format != readable) {
            throw new ConfigurationException("Cannot read " + source + ": its format is " + format
                    + ", this version reads " + readable + "; use a newer Weir");
        }
        return fields;
    }

    private static ObjectNode lineage(Map<Long, Ancestor> lineage) {
        var json = NODES.objectNode();
        new TreeMap<>(lineage).forEach((incarnation, ancestor) -> json.putObject(Long.toString(incarnation))
                .put("parent", ancestor.parent())
                .put("restoredFrom", ancestor.restoredFrom()));
        return json;
    }

    private static Map<Long, Ancestor> lineage(JsonFields fields) {
        return fields.map("lineage", Long::valueOf, (entries, incarnation) -> {
            var ancestor = entries.fields(incarnation);
            return new Ancestor(ancestor.number("parent"), ancestor.number("restoredFrom"));
        });
    }

    private static ObjectNode positions(Map<TopicPartition, Long> positions) {
        var json = NODES.objectNode();
        new TreeMap<>(positions).forEach((partition, offset) -> json.put(partition.toString(), offset));
        return json;
    }

    private static Map<TopicPartition, Long> positions(JsonFields fields, String field) {
        return fields.map(
                field,
                TopicPartition::parse,
                (entries, partition) -> entries.number(partition, offset -> offset >= 0, "an offset"));
    }

    private static ObjectNode snapshot(TaskSnapshot snapshot) {
        var json = NODES.objectNode().put("task", snapshot.task().toString()).put("epoch", snapshot.epoch());
        json.set("positions", positions(snapshot.positions()));
        json.set("lastCut", lastCut(snapshot.lastCut()));
        json.set("base", base(snapshot.base()));
        json.set("deltas", array(snapshot.deltas(), delta -> NODES.objectNode()
                .put("epoch", delta.epoch())
                .setAll(range(delta.content()))));
        json.set("states", array(snapshot.states(), state -> NODES.objectNode()
                .put("name", state.name())
                .put("number", state.number())
                .put("kind", state.kind())
                .put("type", state.type())));
        return json;
    }

    private static TaskSnapshot snapshot(JsonFields fields) {
        return new TaskSnapshot(
                fields.parsed("task", TaskId::parse, "a task"),
                epoch(fields),
                positions(fields, "positions"),
                lastCut(fields.fields("lastCut")),
                fields.objectOrNull("base", ManifestCodec::base),
                fields.list("deltas", delta -> new Delta(epoch(delta), range(delta))),
                fields.list("states", ManifestCodec::state));
    }

    private static ObjectNode lastCut(LastCut cut) {
        var json = NODES.objectNode().put("checkpoint", cut.checkpoint()).put("epoch", cut.epoch());
        json.set("manifest", cut.manifest() == null ? NODES.nullNode() : ref(cut.manifest()));
        json.put("aligned", cut.aligned());
        json.set("positions", positions(cut.positions()));
        return json;
    }

    private static LastCut lastCut(JsonFields fields) {
        return new LastCut(
                fields.number("checkpoint"),
                epoch(fields),
                fields.objectOrNull("manifest", ManifestCodec::ref),
                fields.flag("aligned"),
                positions(fields, "positions"));
    }

    private static JsonNode base(@Nullable Base base) {
        if (base == null) {
            return NODES.nullNode();
        }
        var json = NODES.objectNode().put("epoch", base.epoch());
        json.set("files", array(base.files(), file -> NODES.objectNode()
                .put("name", file.name())
                .setAll(range(file.content()))));
        return json;
    }

    private static Base base(JsonFields fields) {
        return new Base(
                epoch(fields),
                fields.list(
                        "files",
                        file -> new BaseFile(
                                file.text("name", SnapshotRules::isFileName, "a plain file name"), range(file))));
    }

    private static StateEntry state(JsonFields fields) {
        long number = fields.number("number", n -> n >= 0 && n <= Integer.MAX_VALUE, "a state's number");
        return new StateEntry(fields.text("name"), (int) number, fields.text("kind"), fields.text("type"));
    }

    private static ObjectNode range(Range range) {
        return NODES.objectNode()
                .put("object", range.object())
                .put("offset", range.offset())
                .put("length", range.length())
                .put("sha256", range.sha256());
    }

    private static Range range(JsonFields fields) {
        return new Range(
                fields.text("object", ObjectNames::isName, "the name of an object"),
                fields.number("offset", n -> n >= 0, "zero or more"),
                fields.number("length", n -> n >= 0, "zero or more"),
                digest(fields));
    }

    private static ObjectNode cut(TaskCut cut) {
        var json = NODES.objectNode().put("task", cut.task().toString()).put("epoch", cut.epoch());
        json.set("manifest", ref(cut.manifest()));
        return json;
    }

    private static TaskCut cut(JsonFields fields) {
        return new TaskCut(
                fields.parsed("task", TaskId::parse, "a task"), epoch(fields), ref(fields.fields("manifest")));
    }

    private static ObjectNode ref(ManifestRef ref) {
        return NODES.objectNode().put("name", ref.name()).put("sha256", ref.sha256());
    }

    private static ManifestRef ref(JsonFields fields) {
        return new ManifestRef(fields.text("name", ObjectNames::isName, "the name of an object"), digest(fields));
    }

    private static long epoch(JsonFields fields) {
        return fields.number("epoch", epoch -> epoch >= 0, "an epoch");
    }

    private static String digest(JsonFields fields) {
        return fields.text("sha256", SnapshotRules::isDigest, "a SHA-256 in hexadecimal");
    }

    private static <T> ArrayNode array(Iterable<T> values, Function<? super T, ? extends JsonNode> toNode) {
        var json = NODES.arrayNode();
        values.forEach(value -> json.add(toNode.apply(value)));
        return json;
    }
}
