package dev.weir.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.barrier.DomainState.Ancestor;
import dev.weir.barrier.DomainState.OpenCheckpoint;
import dev.weir.barrier.ManifestRef;
import dev.weir.barrier.TaskCut;
import dev.weir.snapshot.CheckpointVerifier.ChannelRange;
import dev.weir.snapshot.Manifest.Base;
import dev.weir.snapshot.Manifest.BaseFile;
import dev.weir.snapshot.Manifest.Delta;
import dev.weir.snapshot.Manifest.LastCut;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Two tasks that read a source topic and an internal one; each test damages one thing (I5, I13). */
class CheckpointVerifierTest {

    private static final long ID = 18;
    private static final TaskId TASK_0 = new TaskId("delays", 0);
    private static final TaskId TASK_1 = new TaskId("delays", 1);
    private static final TopicPartition SOURCE_0 = new TopicPartition("flights", 0);
    private static final TopicPartition SOURCE_1 = new TopicPartition("flights", 1);
    private static final TopicPartition INTERNAL_0 = new TopicPartition("totals", 0);
    private static final TopicPartition INTERNAL_1 = new TopicPartition("totals", 1);
    private static final ManifestRef REF_0 = Snapshots.ref("a");
    private static final ManifestRef REF_1 = Snapshots.ref("b");
    private static final Map<Long, Ancestor> LINEAGE = Map.of(3L, new Ancestor(2, 9));

    private String domain = "flights";
    private long incarnation = 3;
    private Map<Long, Ancestor> lineage = LINEAGE;
    private final Map<TopicPartition, Long> markers = new HashMap<>(Map.of(SOURCE_0, 100L, SOURCE_1, 200L));
    private final Map<TaskId, TaskCut> acknowledged =
            new HashMap<>(Map.of(TASK_0, new TaskCut(TASK_0, 7, REF_0), TASK_1, new TaskCut(TASK_1, 9, REF_1)));
    private final Map<ManifestRef, List<TaskSnapshot>> snapshots = new HashMap<>();
    private Map<String, Set<String>> inputTopics = Map.of();

    // What task 0's snapshot is made of.
    private long epoch = 7;
    private long cutId = ID;
    private long cutEpoch = 7;
    private @Nullable ManifestRef cutManifest;
    private boolean aligned = true;
    private final Map<TopicPartition, Long> positions = new HashMap<>(Map.of(SOURCE_0, 100L, INTERNAL_0, 5L));
    private final Map<TopicPartition, Long> cutPositions = new HashMap<>(positions);
    private @Nullable Base base = new Base(4, List.of(file("000001.sst"), file("CURRENT")));
    private List<Delta> deltas = List.of(delta(5), delta(7));

    @Test
    void aConsistentCheckpointHasNoFindings() {
        var verification = verify();

        assertThat(verification.findings()).isEmpty();
        assertThat(verification.isConsistent()).isTrue();
        assertThat(verification.channels()).isEmpty();
    }

    @Test
    void aTaskWithoutABaseIsConsistent() {
        base = null;

        assertThat(verify().findings()).isEmpty();
    }

    @Test
    void aCutPastTheMarkerIsLegal() {
        positions.put(SOURCE_0, 150L);
        cutPositions.put(SOURCE_0, 150L);

        assertThat(verify().findings()).isEmpty();
        assertThat(verify().channels()).isEmpty();
    }

    @Test
    void anAlignedCutBeforeTheMarkerIsFound() {
        positions.put(SOURCE_0, 99L);
        cutPositions.put(SOURCE_0, 99L);

        assertFound("Task delays/0 is aligned, but its position 99 in flights-0 is before the marker at 100");
    }

    @Test
    void whatACutThatDidNotWaitLeavesInItsChannelIsGiven() {
        aligned = false;
        positions.put(SOURCE_0, 40L);
        cutPositions.put(SOURCE_0, 40L);

        assertThat(verify().findings()).isEmpty();
        assertThat(verify().channels()).containsExactly(new ChannelRange(TASK_0, SOURCE_0, 40, 100));
    }

    @Test
    void aTaskThatHasNotAcknowledgedIsFound() {
        acknowledged.remove(TASK_1);

        assertFound("Task delays/1 has not acknowledged (checkpoint 18).");
    }

    @Test
    void anAcknowledgementOfAnotherTaskIsFound() {
        acknowledged.put(TASK_1, new TaskCut(TASK_0, 9, REF_1));

        assertFound("Task delays/1 has an acknowledgement that is of task delays/0");
    }

    @Test
    void aManifestThatIsNotThereIsFound() {
        acknowledged.put(TASK_0, new TaskCut(TASK_0, 7, Snapshots.ref("c")));

        assertFound(
                "Task delays/0 acknowledged with manifest " + Snapshots.ref("c").name() + ", which is not there");
    }

    @Test
    void aTaskThatIsNotInItsManifestIsFound() {
        snapshots.put(REF_0, List.of());

        assertFound("Task delays/0 stands 0 times in manifest");
    }

    @Test
    void aTaskThatIsInItsManifestTwiceIsFound() {
        snapshots.put(REF_0, List.of(task0(), task0()));

        assertFound("Task delays/0 stands 2 times in manifest");
    }

    @Test
    void aSnapshotOfAnotherEpochThanAcknowledgedIsFound() {
        acknowledged.put(TASK_0, new TaskCut(TASK_0, 6, REF_0));

        assertFound("Task delays/0 has a snapshot of epoch 7, acknowledged was epoch 6");
    }

    @Test
    void aManifestOfALaterEpochThanTheCutIsFound() {
        cutEpoch = 6;

        assertFound("Task delays/0 has cut at epoch 6, but its snapshot is of epoch 7");
    }

    @Test
    void aManifestOfAnotherCutIsFound() {
        cutId = 17;

        assertFound("Task delays/0 has checkpoint 17 as its last cut");
    }

    @Test
    void aManifestThatOnlyRefersToThatOfTheCutIsFound() {
        cutManifest = Snapshots.ref("d");

        assertFound("Task delays/0 acknowledged with a manifest that is not that of its cut, which is "
                + Snapshots.ref("d").name());
    }

    @Test
    void positionsThatAreNotThoseOfTheCutAreFound() {
        positions.put(SOURCE_0, 101L);

        assertFound("Task delays/0 has cut at {flights-0=100, totals-0=5}, but its snapshot is at {flights-0=101,");
    }

    @Test
    void anotherDomainIsFound() {
        domain = "other";

        assertThat(verify().findings())
                .hasSize(2)
                .first()
                .asString()
                .contains("Task delays/0 has manifest " + REF_0.name() + " of domain other, expected flights");
    }

    @Test
    void anotherIncarnationIsFound() {
        incarnation = 2;

        assertThat(verify().findings()).hasSize(2).first().asString().contains("of incarnation 2, expected 3");
    }

    @Test
    void anotherLineageIsFound() {
        lineage = Map.of(3L, new Ancestor(2, 8));

        assertThat(verify().findings()).hasSize(2).first().asString().contains("of another lineage");
    }

    @Test
    void aPositionThatOnlyOtherTasksHaveIsMissed() {
        positions.remove(INTERNAL_0);
        cutPositions.remove(INTERNAL_0);

        assertFound("Task delays/0 has no position in its input partition totals-0");
    }

    @Test
    void anInputThatNoTaskHasIsMissedIfTheTopologyNamesIt() {
        inputTopics = Map.of("delays", Set.of("flights", "totals", "weather"));

        assertThat(verify().findings())
                .containsExactly(
                        "Task delays/0 has no position in its input partition weather-0 (checkpoint 18).",
                        "Task delays/1 has no position in its input partition weather-1 (checkpoint 18).");
    }

    @Test
    void aPositionOfAnotherTasksPartitionIsFound() {
        positions.put(SOURCE_1, 300L);
        cutPositions.put(SOURCE_1, 300L);

        assertFound("Task delays/0 has a position in flights-1, which is not one of its input partitions");
    }

    @Test
    void aPartitionWithoutAMarkerIsFound() {
        markers.remove(SOURCE_1);

        assertFound("Checkpoint 18 has no marker in source partition flights-1.");
    }

    @Test
    void deltasOutOfOrderAreFound() {
        deltas = List.of(delta(7), delta(5));

        assertFound("its delta of epoch 5 does not come after epoch 7");
    }

    @Test
    void aDeltaThatTheBaseHoldsIsFound() {
        deltas = List.of(delta(4), delta(7));

        assertFound("its delta of epoch 4 does not come after epoch 4");
    }

    @Test
    void aDeltaBeyondTheCutIsFound() {
        deltas = List.of(delta(7), delta(8));

        assertFound("its delta of epoch 8 is beyond its own epoch 7");
    }

    @Test
    void aBaseBeyondTheCutIsFound() {
        base = new Base(8, List.of());
        deltas = List.of();

        assertFound("its base is of epoch 8, beyond its own epoch 7");
    }

    @Test
    void twoBaseFilesOfOneNameAreFound() {
        base = new Base(4, List.of(file("CURRENT"), file("CURRENT")));

        assertFound("its base has two files named CURRENT");
    }

    @Test
    void aFileNameThatLeavesItsFolderIsFound() {
        base = new Base(4, List.of(file("../CURRENT")));

        assertFound("a file of its base has a name that is not a plain file name");
    }

    @Test
    void aRangeWithoutADigestIsFound() {
        deltas = List.of(new Delta(7, new Manifest.Range("flights/objects/x", 0, 1, "")));

        assertFound("its delta of epoch 7 has no legal object, range or SHA-256");
    }

    private void assertFound(String sentence) {
        var verification = verify();
        assertThat(verification.findings()).hasSize(1).first().asString().contains(sentence);
        assertThat(verification.isConsistent()).isFalse();
    }

    private CheckpointVerifier.Verification verify() {
        snapshots.putIfAbsent(REF_0, List.of(task0()));
        snapshots.putIfAbsent(REF_1, List.of(task1()));
        var manifests = new HashMap<ManifestRef, Manifest>();
        snapshots.forEach((ref, tasks) ->
                manifests.put(ref, new Manifest(Manifest.FORMAT, domain, incarnation, lineage, "slot", 1, 0, tasks)));
        var checkpoint =
                new OpenCheckpoint(ID, 0, Set.of(SOURCE_0, SOURCE_1), Set.of(TASK_0, TASK_1), markers, acknowledged);
        return new CheckpointVerifier("flights", 3, LINEAGE, inputTopics).verify(checkpoint, manifests);
    }

    private TaskSnapshot task0() {
        var cut = new LastCut(cutId, cutEpoch, cutManifest, aligned, Map.copyOf(cutPositions));
        return new TaskSnapshot(TASK_0, epoch, Map.copyOf(positions), cut, base, deltas, List.of());
    }

    private static TaskSnapshot task1() {
        var at = Map.of(SOURCE_1, 200L, INTERNAL_1, 0L);
        return new TaskSnapshot(TASK_1, 9, at, new LastCut(ID, 9, null, true, at), null, new ArrayList<>(), List.of());
    }

    private static BaseFile file(String name) {
        return new BaseFile(name, Snapshots.range("1", 0, 10));
    }

    private static Delta delta(long epoch) {
        return new Delta(epoch, Snapshots.range("2", 0, 10));
    }
}
