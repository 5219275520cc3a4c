package dev.weir.barrier;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.CorruptionException;
import dev.weir.failure.StoppedException;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ControlCodecTest {

    private static final TaskId TASK = new TaskId("airport-delays", 3);
    private static final TopicPartition PARTITION = new TopicPartition("flights-2-raw", 11);
    private static final ManifestRef MANIFEST = new ManifestRef("manifests/d.p.i.0/5-ab.json", "00ff");
    private static final ControlRecord.SlotRegistered SLOT =
            new ControlRecord.SlotRegistered("d.p.i.0", "group", "d.p.i.0", List.of("d.p.i.0.0", "d.p.i.0.1"), "tok");

    static Stream<ControlRecord> records() {
        var open = new TreeMap<Long, DomainState.OpenCheckpoint>();
        open.put(8L, new DomainState.OpenCheckpoint(8, 99, Set.of(PARTITION), Set.of(TASK), null, Map.of()));
        open.put(
                12L,
                new DomainState.OpenCheckpoint(
                        12,
                        100,
                        Set.of(PARTITION),
                        Set.of(TASK),
                        Map.of(PARTITION, 44L),
                        Map.of(TASK, new TaskCut(TASK, 5, MANIFEST))));
        var state = new DomainState(
                2,
                12,
                open,
                Map.of(TASK, -1L, new TaskId("p", 0), 7L),
                Map.of("p", Map.of("in", new ControlRecord.Input(8, "id-1"))),
                Map.of(SLOT.slot(), SLOT),
                new DomainState.Completed(7, MANIFEST),
                Map.of(2L, new DomainState.Ancestor(1, 6)));
        return Stream.of(
                SLOT,
                new ControlRecord.SlotReleased("d.p.i.0", "tok"),
                new ControlRecord.SlotFenced("d.p.i.0", "tok"),
                new ControlRecord.InputsRegistered("p", Map.of("in", new ControlRecord.Input(8, "id-1"))),
                new ControlRecord.TaskRegistered(TASK, "d.p.i.0"),
                new ControlRecord.TaskAdmitted(TASK, 4),
                new ControlRecord.Acknowledged(4, 1, "d.p.i.0", List.of(new TaskCut(TASK, 5, MANIFEST))),
                new ControlRecord.Declined(4, 1, TASK, "already \"beyond\" it"),
                new ControlRecord.CheckpointStarted(4, 1, 1_700_000_000_000L, Set.of(PARTITION), Set.of(TASK)),
                new ControlRecord.MarkersPlaced(4, Map.of(PARTITION, 17L)),
                new ControlRecord.CheckpointCompleted(4, MANIFEST),
                new ControlRecord.CheckpointAbandoned(4, "no owner"),
                new ControlRecord.FullState(1234, state),
                new ControlRecord.FullState(0, DomainState.empty()));
    }

    @ParameterizedTest
    @MethodSource("records")
    void everyRecordComesBackAsItWas(ControlRecord record) {
        assertThat(ControlCodec.decode(ControlCodec.encode(record))).isEqualTo(record);
    }

    @Test
    void everyKindOfRecordIsTried() {
        var kinds = Stream.of(ControlRecord.Decided.class, ControlRecord.Reported.class)
                .flatMap(side -> Arrays.stream(side.getPermittedSubclasses()))
                .collect(Collectors.toSet());
        assertThat(records().map(Object::getClass).collect(Collectors.toSet())).isEqualTo(kinds);
    }

    @Test
    void anAdmissionIsShort() {
        assertThat(new String(ControlCodec.encode(new ControlRecord.TaskAdmitted(TASK, 4)), UTF_8))
                .isEqualTo("{\"task\":\"airport-delays/3\",\"lastCut\":4,\"type\":\"task-admitted\",\"format\":1}");
    }

    @Test
    void unknownTypesAndMembersOfTheKnownFormatAreIgnored() {
        assertThat(decode("{\"format\":1,\"type\":\"task-renamed\",\"to\":\"x\"}"))
                .isNull();
        assertThat(decode("{\"format\":1,\"type\":\"task-admitted\",\"task\":\"p/0\",\"lastCut\":4,\"more\":{}}"))
                .isEqualTo(new ControlRecord.TaskAdmitted(new TaskId("p", 0), 4));
    }

    @Test
    void anotherFormatIsRefused() {
        assertThatThrownBy(() -> decode("{\"format\":2,\"type\":\"task-admitted\",\"task\":\"p/0\",\"lastCut\":4}"))
                .isInstanceOf(StoppedException.class)
                .hasMessageContaining("2")
                .hasMessageContaining("upgrade");
    }

    @Test
    void damagedRecordsAreRefused() {
        for (var damaged : List.of(
                "",
                "[]",
                "{\"format\":1,\"ty",
                "{\"format\":1,\"type\":\"task-admitted\",\"task\":\"p/0\"}",
                "{\"format\":1,\"type\":\"task-admitted\",\"task\":\"nonsense\",\"lastCut\":4}")) {
            assertThatThrownBy(() -> decode(damaged)).as(damaged).isInstanceOf(CorruptionException.class);
        }
    }

    private static @Nullable ControlRecord decode(String json) {
        return ControlCodec.decode(json.getBytes(UTF_8));
    }
}
