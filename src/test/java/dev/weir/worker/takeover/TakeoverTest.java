package dev.weir.worker.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.barrier.ManifestRef;
import dev.weir.failure.CorruptionException;
import dev.weir.failure.StoppedException;
import dev.weir.kafka.CommittedPosition;
import dev.weir.snapshot.Manifest;
import dev.weir.snapshot.Manifest.LastCut;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.snapshot.Pointer;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import dev.weir.worker.takeover.Takeover.Registration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TakeoverTest {

    private static final TaskId TASK = new TaskId("delays", 3);
    private static final TopicPartition A = new TopicPartition("a", 3);
    private static final TopicPartition B = new TopicPartition("b", 3);
    private static final Pointer POINTER = pointer(7, 2);

    private static Pointer pointer(long epoch, long incarnation) {
        var name = "flights/manifests/flights.delays.pod-0.0/" + epoch + "-t.json";
        return new Pointer(epoch, incarnation, "flights.delays.pod-0.0", new ManifestRef(name, "9f".repeat(32)));
    }

    private static CommittedPosition at(long offset) {
        return new CommittedPosition(offset, POINTER.encode());
    }

    private static Takeover decide(Map<TopicPartition, CommittedPosition> committed, Registration registration) {
        return Takeover.decide("flights", 2, TASK, new TreeSet<>(List.of(A, B)), committed, registration);
    }

    private static void isStopped(Map<TopicPartition, CommittedPosition> committed, String sentence) {
        for (var registration : Registration.values()) {
            assertThatExceptionOfType(StoppedException.class)
                    .isThrownBy(() -> decide(committed, registration))
                    .withMessage("Cannot start delays/3: " + sentence);
        }
    }

    @Test
    void aTaskOfWhichNobodyKnowsAnythingIsNew() {
        assertThat(decide(Map.of(), Registration.UNKNOWN)).isEqualTo(new Takeover.New());
    }

    @Test
    void aTaskThatTheDomainKnowsButItsGroupDoesNotIsNeverStartedAfresh() {
        assertThatExceptionOfType(StoppedException.class)
                .isThrownBy(() -> decide(Map.of(), Registration.REGISTERED))
                .withMessage("Cannot start delays/3: the domain knows the task but its group has no committed position"
                        + " for [a-3, b-3] (deleted, or expired after offsets.retention.minutes); restore the offsets"
                        + " from a checkpoint, or give the processor a new name to start it anew");
    }

    @Test
    void aTaskIsKnownByThePointerThatAllItsPositionsHave() {
        for (var registration : Registration.values()) {
            assertThat(decide(Map.of(A, at(10), B, at(0)), registration)).isEqualTo(new Takeover.Known(POINTER));
        }
    }

    @Test
    void anInputThatWasAddedStopsTheTask() {
        isStopped(
                Map.of(A, at(10)),
                "its group has committed positions for [a-3] but none for [b-3]; an input cannot be added to a"
                        + " processor that has state: give the processor a new name");
    }

    @Test
    void aPositionWithoutAPointerStopsTheTask() {
        isStopped(
                Map.of(A, at(10), B, new CommittedPosition(99, "")),
                "position 99 of b-3 was committed without a pointer to its state (by a tool that resets offsets?); its"
                        + " state cannot follow: restore a checkpoint, or delete the group and give the processor a new"
                        + " name");
    }

    @Test
    void aPositionWithSomebodyElsesMetadataStopsTheTask() {
        assertThatExceptionOfType(StoppedException.class)
                .isThrownBy(
                        () -> decide(Map.of(A, at(10), B, new CommittedPosition(99, "mine")), Registration.REGISTERED))
                .withMessageStartingWith("Cannot read the pointer 'mine': ");
    }

    @Test
    void positionsThatWereNotCommittedTogetherStopTheTask() {
        var other = new CommittedPosition(10, pointer(8, 2).encode());

        assertThatExceptionOfType(StoppedException.class)
                .isThrownBy(() -> decide(Map.of(A, at(10), B, other), Registration.REGISTERED))
                .withMessageStartingWith(
                        "Cannot start delays/3: its positions were committed with different pointers, ")
                .withMessageEndingWith("; restore a checkpoint");
    }

    @Test
    void aPointerOfAnotherIncarnationStopsTheTask() {
        for (long incarnation : new long[] {1, 3}) {
            var pointer = pointer(7, incarnation);
            var position = new CommittedPosition(10, pointer.encode());
            isStopped(
                    Map.of(A, position, B, position),
                    "its pointer " + pointer + " is not of the domain's incarnation 2; restore a checkpoint");
        }
    }

    private static Manifest manifest(long epoch, Map<TopicPartition, Long> positions) {
        var cut = new LastCut(0, 0, null, false, Map.of());
        var snapshot = new TaskSnapshot(TASK, epoch, positions, cut, null, List.of(), List.of());
        return new Manifest(Manifest.FORMAT, "flights", 2, Map.of(), "flights.delays.pod-0.0", 9, 0, List.of(snapshot));
    }

    @Test
    void theSnapshotIsTheTasksInThePointersManifest() {
        var manifest = manifest(7, Map.of(A, 10L, B, 0L));

        assertThat(Takeover.snapshot(POINTER, manifest, TASK, Map.of(A, at(10), B, at(0))))
                .isSameAs(manifest.task(TASK));
    }

    @Test
    void aManifestWithoutTheTaskIsCorrupt() {
        var stranger = new TaskId("delays", 4);

        assertThatExceptionOfType(CorruptionException.class)
                .isThrownBy(() -> Takeover.snapshot(POINTER, manifest(7, Map.of()), stranger, Map.of()))
                .withMessage("Cannot start delays/4: its pointer names epoch 7 in "
                        + POINTER.manifest().name() + ", which has no such task");
    }

    @Test
    void aManifestOfAnotherEpochIsCorrupt() {
        assertThatExceptionOfType(CorruptionException.class)
                .isThrownBy(() -> Takeover.snapshot(POINTER, manifest(6, Map.of()), TASK, Map.of()))
                .withMessage("Cannot start delays/3: its pointer names epoch 7 in "
                        + POINTER.manifest().name() + ", which has epoch 6");
    }

    @Test
    void aPositionThatWasMovedByHandStopsTheTask() {
        var manifest = manifest(7, Map.of(A, 10L, B, 0L));

        assertThatExceptionOfType(StoppedException.class)
                .isThrownBy(() -> Takeover.snapshot(POINTER, manifest, TASK, Map.of(A, at(11), B, at(0))))
                .withMessage("Cannot start delays/3: position 11 of a-3 is not the one that its state belongs to, 10"
                        + " (reset by a tool?); restore a checkpoint, or set the position back");
    }

    @Test
    void aPositionThatTheStateKnowsNothingOfStopsTheTask() {
        assertThatExceptionOfType(StoppedException.class)
                .isThrownBy(() ->
                        Takeover.snapshot(POINTER, manifest(7, Map.of(A, 10L)), TASK, Map.of(A, at(10), B, at(0))))
                .withMessageStartingWith("Cannot start delays/3: position 0 of b-3 is not the one");
    }

    @Test
    void anInputThatWasRemovedStopsTheTask() {
        var manifest = manifest(7, Map.of(A, 10L, B, 0L));

        assertThatExceptionOfType(StoppedException.class)
                .isThrownBy(() -> Takeover.snapshot(POINTER, manifest, TASK, Map.of(A, at(10))))
                .withMessage(
                        "Cannot start delays/3: its state was made from [b-3] too, which its processor does not read"
                                + " any more; declare the input again, or give the processor a new name to build its state anew");
    }
}
