package dev.weir.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.api.Headers;
import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ManifestRef;
import dev.weir.barrier.TaskCut;
import dev.weir.simulation.Workload.Item;
import dev.weir.simulation.Workload.Total;
import dev.weir.snapshot.CheckpointManifest;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.snapshot.Manifest;
import dev.weir.snapshot.Manifest.LastCut;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.testkit.InMemoryKafka.StoredRecord;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The checkers notice what they are there for (I13). */
class CheckersTest {

    private static final TopicPartition IN = new TopicPartition("in", 0);
    private static final TaskId TASK = new TaskId("p", 0);
    private static final ManifestRef REF = new ManifestRef("m", "00");

    private final Oracle oracle = new Oracle()
            .with(0, List.of(item(0, "a", 5), item(1, "b", 7), item(2, "a", -2), item(3, "b", 1), item(4, "a", 1)));
    private final OutputChecker outputs = new OutputChecker(oracle);

    // ---- outputs

    @Test
    void rightOutputsPassInAnyInterleavingOfKeys() {
        check(right());
        var otherOrder = right();
        Collections.swap(otherOrder, 0, 1);
        check(otherOrder);
    }

    @Test
    void aDroppedRecordIsNoticedWhereverItStands() {
        for (int i = 0; i < 4; i++) {
            var log = right();
            log.remove(i);
            assertFails(log);
        }
    }

    @Test
    void aDoubledRecordIsNoticedWhereverItStands() {
        for (int i = 0; i < 4; i++) {
            var log = right();
            log.add(log.get(i));
            assertFails(log);
        }
    }

    @Test
    void swappedRecordsOfOneKeyAreNoticed() {
        var log = right();
        Collections.swap(log, 0, 2);
        assertFails(log);
    }

    @Test
    void anAlteredTotalIsNoticed() {
        var log = right();
        log.set(1, output(1, "b", 8));
        assertFails(log);
    }

    @Test
    void alteredBytesAreNoticed() {
        var log = right();
        byte[] bytes = new Total(0, 1, "b", 7).bytes();
        bytes[4] ^= 1;
        log.set(1, stored(1, bytes));
        assertFails(log);
    }

    @Test
    void anOutputBehindTheCommittedPositionIsNoticed() {
        var log = right();
        log.add(output(4, "a", 4));
        assertFails(log);
        assertThatCode(() -> outputs.check(Map.of(0, 5L), List.of(log))).doesNotThrowAnyException();
    }

    @Test
    void aPositionAheadOfItsOutputsIsNoticed() {
        assertThatThrownBy(() -> outputs.check(Map.of(0, 5L), List.of(right()))).isInstanceOf(AssertionError.class);
    }

    @Test
    void anOutputOfAnInputThatDoesNotExistIsNoticed() {
        var log = right();
        log.add(stored(9, new Total(7, 0, "z", 1).bytes()));
        assertFails(log);
    }

    private void check(List<StoredRecord> log) {
        outputs.check(Map.of(0, 4L), List.of(log));
    }

    private void assertFails(List<StoredRecord> log) {
        assertThatThrownBy(() -> check(log)).isInstanceOf(AssertionError.class);
    }

    private static List<StoredRecord> right() {
        return new ArrayList<>(List.of(output(0, "a", 5), output(1, "b", 7), output(2, "a", 3), output(3, "b", 8)));
    }

    // ---- checkpoints

    @Test
    void aRightCheckpointPasses() {
        assertThat(oracle.state(0, 3)).isEqualTo(Map.of("a", 3L, "b", 7L));
        checker(snapshot(3, 3, 2, true), Map.of("a", 3L, "b", 7L)).check(checkpoint(2));
    }

    @Test
    void aCutBeforeItsMarkerIsNoticedUnlessItIsUnaligned() {
        var state = Map.of("a", 3L, "b", 7L);
        assertThatThrownBy(() -> checker(snapshot(3, 3, 2, true), state).check(checkpoint(4)))
                .hasMessageContaining("aligned");
        checker(snapshot(3, 3, 2, false), state).check(checkpoint(4));
    }

    @Test
    void aStateThatIsNotTheFoldIsNoticed() {
        var aligned = snapshot(3, 3, 2, true);
        assertThatThrownBy(() -> checker(aligned, Map.of("a", 4L, "b", 7L)).check(checkpoint(2)))
                .hasMessageContaining("holds");
        assertThatThrownBy(() -> checker(aligned, Map.of("a", 3L)).check(checkpoint(2)))
                .hasMessageContaining("holds");
    }

    @Test
    void aManifestOfAnotherEpochOrCutIsNoticed() {
        var state = Map.of("a", 3L, "b", 7L);
        assertThatThrownBy(() -> checker(snapshot(3, 4, 2, true), state).check(checkpoint(2)))
                .hasMessageContaining("epoch");
        assertThatThrownBy(() -> checker(snapshot(3, 3, 1, true), state).check(checkpoint(2)))
                .hasMessageContaining("cut");
    }

    @Test
    void aCheckpointThatIsDecidedBothWaysIsNoticed() {
        var completed = new ControlRecord.CheckpointCompleted(2, REF);
        var abandoned = new ControlRecord.CheckpointAbandoned(2, "late");
        CheckpointChecker.checkDecisions(List.of(completed, completed), Map.of(2L, checkpoint(2)));
        assertThatThrownBy(() ->
                        CheckpointChecker.checkDecisions(List.of(completed, abandoned), Map.of(2L, checkpoint(2))))
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> CheckpointChecker.checkDecisions(List.of(abandoned), Map.of(2L, checkpoint(2))))
                .hasMessageContaining("manifest");
        assertThatThrownBy(() -> CheckpointChecker.checkDecisions(List.of(completed), Map.of()))
                .hasMessageContaining("no manifest");
    }

    private CheckpointChecker checker(TaskSnapshot snapshot, Map<String, Long> state) {
        var manifest = new Manifest(1, "d", 1, Map.of(), "slot", 1, 0, List.of(snapshot));
        return new CheckpointChecker(oracle, ref -> manifest, of -> state);
    }

    private static TaskSnapshot snapshot(long position, long epoch, long cut, boolean aligned) {
        var positions = Map.of(IN, position);
        return new TaskSnapshot(
                TASK, epoch, positions, new LastCut(cut, epoch, null, aligned, positions), null, List.of(), List.of());
    }

    private static CheckpointManifest checkpoint(long marker) {
        return new CheckpointManifest(
                1,
                "d",
                2,
                1,
                Map.of(),
                Outcome.COMPLETE,
                null,
                0,
                0,
                "x",
                Map.of(IN, marker),
                List.of(new TaskCut(TASK, 3, REF)));
    }

    private static StoredRecord item(long offset, String key, long delta) {
        return stored(offset, new Item(0, offset + 1, key, delta).bytes());
    }

    private static StoredRecord output(long inputOffset, String key, long total) {
        return stored(inputOffset, new Total(0, inputOffset, key, total).bytes());
    }

    private static StoredRecord stored(long offset, byte[] value) {
        return new StoredRecord(offset, 0, "k".getBytes(UTF_8), value, Headers.none(), null);
    }
}
