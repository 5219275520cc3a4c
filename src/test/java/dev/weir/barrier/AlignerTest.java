package dev.weir.barrier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.barrier.Aligner.Cut;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@NullUnmarked // A missing cut fails the assertion that asks for it.
class AlignerTest {

    private static final long TIMEOUT = 1_000;
    private static final TaskId TASK = new TaskId("p", 0);
    private static final TaskId OTHER = new TaskId("p", 1);
    private static final TopicPartition A = new TopicPartition("a", 0);
    private static final TopicPartition B = new TopicPartition("b", 0);
    private static final TopicPartition C = new TopicPartition("a", 1);

    private final Aligner aligner = new Aligner(TIMEOUT);

    /** Given a moving task that reads two partitions, unless a test says otherwise. */
    @BeforeEach
    void aTaskOfTwoPartitionsMoves() {
        aligner.addStanding(TASK, Map.of(A, 0L, B, 0L), 0, 0);
        aligner.setMoving(TASK);
    }

    private void addMoving(TaskId task, Map<TopicPartition, Long> positions, long lastCut, long now) {
        aligner.addStanding(task, positions, lastCut, now);
        aligner.setMoving(task);
    }

    private Cut cut(long now) {
        var due = aligner.due(now);
        assertThat(due).isNotNull();
        aligner.onCut(due, now);
        return due;
    }

    @Test
    void aPartitionIsHeldAtItsFirstMarkerWhileTheOthersGoOn() {
        boolean held = aligner.onMarker(A, 1, 10);

        assertThat(held).isTrue();
        assertThat(aligner.isHeld(A)).isTrue();
        assertThat(aligner.isHeld(B)).isFalse();
        assertThat(aligner.held()).containsExactly(A);
        assertThat(aligner.due(10)).isNull();
    }

    @Test
    void allTasksCutTogetherAsSoonAsEveryPartitionHasMetItsMarker() {
        addMoving(OTHER, Map.of(C, 0L), 0, 0);
        aligner.onMarker(A, 1, 10);
        aligner.onMarker(C, 1, 10);
        assertThat(aligner.due(10)).isNull();

        aligner.onMarker(B, 1, 11);

        assertThat(cut(11)).isEqualTo(new Cut(1, Map.of(TASK, true, OTHER, true)));
        assertThat(aligner.held()).isEmpty();
        assertThat(aligner.target()).isZero();
        assertThat(aligner.lastCut(TASK)).isEqualTo(1);
        assertThat(aligner.due(Long.MAX_VALUE)).isNull();
    }

    @Test
    void aHigherMarkerEscalatesAndKeepsTheClock() {
        aligner.onMarker(A, 1, 0);

        aligner.onStarted(2, 900);

        assertThat(aligner.target()).isEqualTo(2);
        assertThat(aligner.isHeld(A)).as("it goes on to marker 2").isFalse();
        assertThat(aligner.learnedAtMillis()).isZero();
        assertThat(aligner.due(999)).isNull();
        assertThat(aligner.due(1_000)).isEqualTo(new Cut(2, Map.of(TASK, false)));
    }

    @Test
    void onceEscalatedNoLowerCheckpointIsCut() {
        aligner.onMarker(A, 1, 0);
        aligner.onStarted(2, 0);

        aligner.onClosed(2, 10);
        aligner.onMarker(B, 1, 10);

        assertThat(aligner.held())
                .as("records behind marker 1 may have been processed")
                .isEmpty();
        assertThat(aligner.due(Long.MAX_VALUE)).isNull();
        assertThat(aligner.target()).isZero();
    }

    @Test
    void closingEndsTheAlignmentAndReleases() {
        aligner.onMarker(A, 1, 0);

        aligner.onClosed(1, 10);

        assertThat(aligner.isHeld(A)).isFalse();
        assertThat(aligner.due(Long.MAX_VALUE)).isNull();
        aligner.onStarted(2, 5_000);
        assertThat(aligner.learnedAtMillis())
                .as("the next one has a clock of its own")
                .isEqualTo(5_000);
    }

    @Test
    void markersOfCheckpointsKnownClosedAreSkipped() {
        aligner.onClosed(3, 0);

        assertThat(aligner.onMarker(A, 3, 10)).isFalse();
        assertThat(aligner.onMarker(A, 2, 10))
                .as("a lower id that was never open")
                .isFalse();
        assertThat(aligner.target()).isZero();
    }

    @Test
    void whatTheDomainHasClosedBeforeTheStartIsSkippedAndWhatIsOpenIsAligned() {
        var fresh = new Aligner(TIMEOUT);
        fresh.begin(
                DomainState.empty()
                        .after(started(1))
                        .after(started(2))
                        .after(new ControlRecord.MarkersPlaced(2, Map.of(A, 7L)))
                        .after(new ControlRecord.CheckpointAbandoned(1, "late")),
                50);
        fresh.addStanding(TASK, Map.of(A, 0L, B, 0L), 0, 60);
        fresh.setMoving(TASK);

        assertThat(fresh.onMarker(B, 1, 60)).isFalse();
        assertThat(fresh.holdOffset(A)).isEqualTo(7);
        assertThat(fresh.onMarker(B, 2, 60)).isTrue();
    }

    @Test
    void whatWasClosedUnheardIsReleasedWhenTheDomainIsTakenOverAnew() {
        aligner.onMarker(A, 1, 0);
        var domain = DomainState.empty()
                .after(started(1))
                .after(started(2))
                .after(new ControlRecord.CheckpointAbandoned(1, "late"))
                .after(new ControlRecord.CheckpointAbandoned(2, "late"));

        aligner.begin(domain, 10);

        assertThat(aligner.isHeld(A)).isFalse();
        assertThat(aligner.target()).isZero();
        assertThat(aligner.onMarker(B, 2, 10)).isFalse();
    }

    @Test
    void whatWasStartedUnheardIsAlignedWhenTheDomainIsTakenOverAnew() {
        aligner.begin(
                DomainState.empty().after(started(1)).after(new ControlRecord.MarkersPlaced(1, Map.of(A, 0L))), 10);

        assertThat(aligner.target()).isEqualTo(1);
        assertThat(aligner.isHeld(A)).isTrue();
        assertThat(aligner.learnedAtMillis()).isEqualTo(10);
    }

    @Test
    void aMarkerThatIsAheadOfTheControlTopicStaysKnownWhenTheDomainIsTakenOver() {
        aligner.onMarker(A, 2, 0);

        aligner.begin(DomainState.empty().after(started(1)), 10);

        assertThat(aligner.isHeld(A)).isTrue();
        assertThat(aligner.target()).isEqualTo(2);
    }

    @Test
    void anUnknownHigherMarkerOpensItsCheckpoint() {
        aligner.onMarker(A, 9, 0);

        assertThat(aligner.target()).isEqualTo(9);
        assertThat(aligner.onMarker(B, 8, 0)).as("8 was passed over").isFalse();
        assertThat(aligner.due(0)).isNull();
    }

    @Test
    void aReplayedMarkerUpToTheLastCutIsIgnored() {
        aligner.remove(TASK);
        addMoving(TASK, Map.of(A, 0L, B, 0L), 5, 0);

        assertThat(aligner.onMarker(A, 5, 0)).isFalse();
        assertThat(aligner.onMarker(A, 4, 0)).isFalse();
        assertThat(aligner.target()).isZero();
        assertThat(aligner.onMarker(A, 6, 0)).isTrue();
    }

    @Test
    void aMarkerOfAPartitionThatIsNotReadHereIsIgnored() {
        assertThat(aligner.onMarker(C, 1, 0)).isFalse();
        assertThat(aligner.target()).isZero();
        assertThat(aligner.isHeld(C)).isFalse();
        assertThat(aligner.holdOffset(C)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aPositionAtThePublishedOffsetCountsAsMarkerMet() {
        aligner.onStarted(1, 0);
        aligner.onPlaced(1, Map.of(A, 10L, B, 20L));
        aligner.onPosition(A, 9);
        assertThat(aligner.isHeld(A)).isFalse();
        assertThat(aligner.holdOffset(A)).isEqualTo(10);

        aligner.onPosition(A, 10);
        aligner.onPosition(B, 21);

        assertThat(aligner.held()).containsExactlyInAnyOrder(A, B);
        assertThat(cut(5)).isEqualTo(new Cut(1, Map.of(TASK, true)));
        assertThat(aligner.holdOffset(A)).as("nothing holds it after the cut").isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void anEmptyPartitionMeetsItsMarkerByTheOffset() {
        aligner.onStarted(1, 0);
        aligner.onPlaced(1, Map.of(A, 0L, B, 0L));

        assertThat(cut(0)).isEqualTo(new Cut(1, Map.of(TASK, true)));
    }

    @Test
    void aPartitionWithoutAPublishedOffsetWaitsForItsMarker() {
        aligner.onStarted(1, 0);
        aligner.onPlaced(1, Map.of(A, 0L));

        assertThat(aligner.holdOffset(B)).isEqualTo(Long.MAX_VALUE);
        assertThat(aligner.isHeld(B)).isFalse();
        assertThat(aligner.due(999)).isNull();
    }

    @Test
    void offsetsOfAClosedCheckpointHoldNothing() {
        aligner.onStarted(1, 0);
        aligner.onClosed(1, 0);
        aligner.onPlaced(1, Map.of(A, 0L, B, 0L));

        assertThat(aligner.held()).isEmpty();
        assertThat(aligner.holdOffset(A)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void theTimeoutCutsWhereTheTasksAreAndSaysSoForEach() {
        addMoving(OTHER, Map.of(C, 0L), 0, 0);
        aligner.onStarted(1, 100);
        aligner.onMarker(C, 1, 150);

        assertThat(aligner.due(1_099)).isNull();
        assertThat(cut(1_100)).isEqualTo(new Cut(1, Map.of(TASK, false, OTHER, true)));

        assertThat(aligner.onMarker(A, 1, 1_200))
                .as("its marker comes after the cut")
                .isFalse();
        assertThat(aligner.target()).isZero();
    }

    @Test
    void theClockStartsWhenTheCheckpointIsLearnedByWhicheverComesFirst() {
        aligner.onMarker(A, 1, 100);
        aligner.onStarted(1, 700);

        assertThat(aligner.learnedAtMillis()).isEqualTo(100);
    }

    @Test
    void aTaskThatIsBeingRestoredTakesPartAndHoldsNothingUp() {
        aligner.addStanding(OTHER, Map.of(C, 3L), 0, 0);
        aligner.onMarker(A, 1, 10);
        assertThat(aligner.due(10)).as("the moving task is waited for").isNull();

        aligner.onMarker(B, 1, 10);

        assertThat(cut(10)).isEqualTo(new Cut(1, Map.of(TASK, true, OTHER, false)));
        assertThat(aligner.lastCut(OTHER)).isEqualTo(1);
    }

    @Test
    void aTaskThatStopsIsNotWaitedForAnyMore() {
        aligner.onStarted(1, 0);
        assertThat(aligner.due(0)).isNull();

        aligner.setStanding(TASK);

        assertThat(cut(0)).isEqualTo(new Cut(1, Map.of(TASK, false)));
    }

    @Test
    void aTaskThatHasCutItAlreadyIsNotInTheCutAndIsNotHeld() {
        addMoving(OTHER, Map.of(C, 0L), 1, 0);

        aligner.onMarker(A, 1, 0);
        aligner.onMarker(B, 1, 0);

        assertThat(aligner.onMarker(C, 1, 0)).isFalse();
        assertThat(cut(0)).isEqualTo(new Cut(1, Map.of(TASK, true)));
    }

    @Test
    void aTaskThatArrivesLaterCutsAloneOnAClockOfItsOwn() {
        aligner.onMarker(A, 1, 0);
        aligner.onMarker(B, 1, 0);
        cut(0);

        addMoving(OTHER, Map.of(C, 0L), 0, 500);

        assertThat(aligner.target()).isEqualTo(1);
        assertThat(aligner.learnedAtMillis()).isEqualTo(500);
        assertThat(aligner.isHeld(A)).isFalse();
        aligner.onMarker(C, 1, 600);
        assertThat(cut(600)).isEqualTo(new Cut(1, Map.of(OTHER, true)));
    }

    @Test
    void rewindingBringsTheMarkersBack() {
        aligner.onMarker(A, 1, 0);
        aligner.onMarker(B, 1, 0);
        cut(0);

        aligner.rewind(TASK, Map.of(A, 0L, B, 0L), 0, 300);

        assertThat(aligner.target()).isEqualTo(1);
        assertThat(aligner.held()).as("no marker is met yet").isEmpty();
        assertThat(aligner.onMarker(A, 1, 310)).isTrue();
        assertThat(aligner.onMarker(B, 1, 310)).isTrue();
        assertThat(cut(310)).isEqualTo(new Cut(1, Map.of(TASK, true)));
    }

    @Test
    void rewindingAcrossACheckpointThatIsClosedMeanwhileSkipsIt() {
        aligner.onMarker(A, 1, 0);
        aligner.onMarker(B, 1, 0);
        cut(0);
        aligner.onClosed(1, 100);

        aligner.rewind(TASK, Map.of(A, 0L, B, 0L), 0, 300);

        assertThat(aligner.onMarker(A, 1, 310)).isFalse();
    }

    @Test
    void rewindingATaskThatIsNotHereChangesNothing() {
        aligner.rewind(OTHER, Map.of(C, 0L), 0, 0);
        aligner.onStarted(1, 0);
        aligner.onPlaced(1, Map.of(C, 0L));

        assertThat(aligner.isHeld(C)).isFalse();
        assertThat(aligner.partitions(OTHER)).isEmpty();
    }

    @Test
    void aThreadWithoutTasksHasNoCut() {
        aligner.remove(TASK);

        aligner.onStarted(1, 0);

        assertThat(aligner.due(Long.MAX_VALUE)).isNull();
        assertThat(aligner.target()).isZero();
    }

    @Test
    void whenTheLastTaskThatWantsItLeavesTheAlignmentEnds() {
        addMoving(OTHER, Map.of(C, 0L), 1, 0);
        aligner.onStarted(1, 0);

        aligner.remove(TASK);

        assertThat(aligner.target()).isZero();
        aligner.onStarted(2, 5_000);
        assertThat(aligner.learnedAtMillis())
                .as("the next one does not begin late")
                .isEqualTo(5_000);
        assertThat(aligner.due(5_000)).isNull();
    }

    @Test
    void alignmentIsJudgedAnewOnTheTasksThatStay() {
        addMoving(OTHER, Map.of(C, 0L), 0, 0);
        aligner.onMarker(C, 1, 0);
        assertThat(aligner.due(0)).isNull();

        aligner.remove(TASK);

        assertThat(cut(0)).isEqualTo(new Cut(1, Map.of(OTHER, true)));
        assertThat(aligner.isHeld(A)).isFalse();
    }

    private static ControlRecord started(long checkpoint) {
        return new ControlRecord.CheckpointStarted(checkpoint, 1, 0, Set.of(A, B), Set.of(TASK));
    }
}
