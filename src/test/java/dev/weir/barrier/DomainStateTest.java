package dev.weir.barrier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.SeedSource;
import dev.weir.barrier.ControlRecord.Acknowledged;
import dev.weir.barrier.ControlRecord.CheckpointAbandoned;
import dev.weir.barrier.ControlRecord.CheckpointCompleted;
import dev.weir.barrier.ControlRecord.CheckpointStarted;
import dev.weir.barrier.ControlRecord.Declined;
import dev.weir.barrier.ControlRecord.FullState;
import dev.weir.barrier.ControlRecord.Input;
import dev.weir.barrier.ControlRecord.InputsRegistered;
import dev.weir.barrier.ControlRecord.MarkersPlaced;
import dev.weir.barrier.ControlRecord.SlotFenced;
import dev.weir.barrier.ControlRecord.SlotRegistered;
import dev.weir.barrier.ControlRecord.SlotReleased;
import dev.weir.barrier.ControlRecord.TaskAdmitted;
import dev.weir.barrier.ControlRecord.TaskRegistered;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked // A checkpoint that is not open fails the assertion that asks for it.
class DomainStateTest {

    private static final TaskId ONE = new TaskId("p", 0);
    private static final TaskId TWO = new TaskId("p", 1);
    private static final TopicPartition A = new TopicPartition("a", 0);
    private static final SlotRegistered SLOT = new SlotRegistered("s", "g", "s", List.of("s.0", "s.1"), "first start");
    private static final SlotRegistered AGAIN =
            new SlotRegistered("s", "g", "s", List.of("s.0", "s.1"), "second start");

    private static DomainState after(ControlRecord... records) {
        return fold(DomainState.empty(), records);
    }

    private static DomainState fold(DomainState state, ControlRecord... records) {
        for (var record : records) {
            state = state.after(record);
        }
        return state;
    }

    private static CheckpointStarted started(long checkpoint) {
        return new CheckpointStarted(checkpoint, 1, 100 + checkpoint, Set.of(A), Set.of(ONE, TWO));
    }

    private static ManifestRef manifest(String name) {
        return new ManifestRef(name, "00");
    }

    private static Acknowledged acknowledged(long checkpoint, TaskId task, String manifest) {
        return new Acknowledged(checkpoint, 1, "s", List.of(new TaskCut(task, 5, manifest(manifest))));
    }

    @Test
    void aSlotIsRegisteredUntilItIsReleasedOrFenced() {
        assertThat(after(SLOT).slots()).containsExactly(Map.entry("s", SLOT));
        assertThat(after(SLOT, new SlotReleased("s", "first start")).slots()).isEmpty();
        assertThat(after(SLOT, new SlotFenced("s", "first start")).slots()).isEmpty();
    }

    @Test
    void aSlotThatHasStartedAnewIsNotTouchedByWordOfItsFormerLife() {
        assertThat(after(SLOT, AGAIN, new SlotReleased("s", "first start")).slots())
                .containsValue(AGAIN);
        assertThat(after(SLOT, AGAIN, new SlotFenced("s", "first start")).slots())
                .containsValue(AGAIN);
        assertThat(after(SLOT, new SlotFenced("other", "first start")).slots()).containsValue(SLOT);
    }

    @Test
    void theInputsOfAProcessorAreThoseOfItsFirstStart() {
        var first = new InputsRegistered("p", Map.of("a", new Input(3, "id")));
        var later = new InputsRegistered("p", Map.of("a", new Input(6, "id")));

        assertThat(after(first, later).inputs()).isEqualTo(Map.of("p", first.inputs()));
    }

    @Test
    void aTaskIsKnownOnceRegisteredAndHasItsLastCutOnceAdmitted() {
        var registered = after(new TaskRegistered(ONE, "s"));
        assertThat(registered.tasks()).containsExactly(Map.entry(ONE, -1L));

        var admitted = registered.after(new TaskAdmitted(ONE, 4));

        assertThat(admitted.tasks()).containsExactly(Map.entry(ONE, 4L));
        assertThat(fold(admitted, new TaskAdmitted(ONE, 9), new TaskRegistered(ONE, "other")))
                .as("the first admission counts")
                .isEqualTo(admitted);
    }

    @Test
    void aCheckpointIsOpenFromItsStartUntilItIsCompletedOrAbandoned() {
        var open = after(started(3));
        assertThat(open.highestStarted()).isEqualTo(3);
        assertThat(open.open().get(3L))
                .isEqualTo(new DomainState.OpenCheckpoint(3, 103, Set.of(A), Set.of(ONE, TWO), null, Map.of()));
        assertThat(open.isClosed(3)).isFalse();
        assertThat(open.isClosed(4)).as("not started yet").isFalse();
        assertThat(open.isClosed(2)).as("skipped ids never come").isTrue();

        var completed = open.after(new CheckpointCompleted(3, manifest("c3")));
        assertThat(completed.isClosed(3)).isTrue();
        assertThat(completed.lastCompleted()).isEqualTo(new DomainState.Completed(3, manifest("c3")));

        var abandoned = open.after(new CheckpointAbandoned(3, "late"));
        assertThat(abandoned.isClosed(3)).isTrue();
        assertThat(abandoned.lastCompleted()).isNull();
        assertThat(abandoned.highestStarted()).isEqualTo(3);
    }

    @Test
    void anIdIsStartedOnceAndInAscendingOrderOnly() {
        var state = after(started(3), new CheckpointAbandoned(3, "late"));

        assertThat(state.after(started(3))).as("never used again").isEqualTo(state);
        assertThat(state.after(started(2))).isEqualTo(state);
        assertThat(state.after(started(4)).open()).containsOnlyKeys(4L);
    }

    @Test
    void whatAnotherIncarnationSaysChangesNothing() {
        var state = after(started(3));

        assertThat(state.after(new CheckpointStarted(4, 2, 0, Set.of(A), Set.of(ONE))))
                .isEqualTo(state);
        assertThat(state.after(new Acknowledged(3, 2, "s", List.of(new TaskCut(ONE, 5, manifest("m"))))))
                .isEqualTo(state);
    }

    @Test
    void offsetsOfMarkersBelongToAnOpenCheckpoint() {
        var placed = new MarkersPlaced(3, Map.of(A, 17L));

        assertThat(after(started(3), placed).open().get(3L).markers()).isEqualTo(Map.of(A, 17L));
        var closed = after(started(3), new CheckpointAbandoned(3, "late"));
        assertThat(closed.after(placed)).isEqualTo(closed);
        assertThat(after(placed)).isEqualTo(DomainState.empty());
    }

    @Test
    void aCheckpointIsAcknowledgedWhenEachOfItsTasksHasSaidSo() {
        var half = after(started(3), acknowledged(3, ONE, "m1"));
        assertThat(half.open().get(3L).isAcknowledged()).isFalse();

        var all = half.after(acknowledged(3, TWO, "m2"));

        assertThat(all.open().get(3L).isAcknowledged()).isTrue();
        assertThat(all.open().get(3L).acknowledged()).containsOnlyKeys(ONE, TWO);
    }

    @Test
    void theFirstWordOfATaskCountsAndTasksOutsideTheCheckpointDoNot() {
        var stranger = new TaskId("p", 9);
        var state = after(started(3), acknowledged(3, ONE, "first"));

        assertThat(fold(state, acknowledged(3, ONE, "second"), acknowledged(3, stranger, "m")))
                .isEqualTo(state);
    }

    @Test
    void acknowledgementsKeepTheMarkersAndTheMarkersKeepTheAcknowledgements() {
        var one = after(started(3), new MarkersPlaced(3, Map.of(A, 1L)), acknowledged(3, ONE, "m"));
        var other = after(started(3), acknowledged(3, ONE, "m"), new MarkersPlaced(3, Map.of(A, 1L)));

        assertThat(one).isEqualTo(other);
    }

    @Test
    void theLastCompleteCheckpointNeverGoesBack() {
        var state = after(
                started(3),
                started(4),
                new CheckpointCompleted(4, manifest("c4")),
                new CheckpointCompleted(3, manifest("c3")));

        assertThat(state.open()).isEmpty();
        assertThat(state.lastCompleted()).isEqualTo(new DomainState.Completed(4, manifest("c4")));
    }

    @Test
    void closingACheckpointLeavesTheOthersOpen() {
        var state = after(started(3), started(4), new CheckpointCompleted(4, manifest("c4")));

        assertThat(state.open()).containsOnlyKeys(3L);
        assertThat(state.isClosed(3)).isFalse();
    }

    @Test
    void aDeclinedCheckpointStaysOpenUntilItIsDecided() {
        var state = after(started(3));

        assertThat(state.after(new Declined(3, 1, ONE, "beyond"))).isEqualTo(state);
    }

    @Test
    void aFullStateStandsForAllBeforeIt() {
        var full = after(SLOT, new TaskRegistered(ONE, "s"), started(3));

        assertThat(after(started(1), new FullState(17, full))).isEqualTo(full);
    }

    @Test
    void whatIsReadOnceMoreChangesNothing() {
        var records = List.of(
                SLOT,
                new InputsRegistered("p", Map.of("a", new Input(3, "id"))),
                new TaskRegistered(ONE, "s"),
                new TaskAdmitted(ONE, 0),
                started(3),
                new MarkersPlaced(3, Map.of(A, 1L)),
                acknowledged(3, ONE, "m"),
                new Declined(3, 1, TWO, "beyond"));
        for (var record : records) {
            var once = after(records.toArray(ControlRecord[]::new));
            assertThat(once.after(record)).as("%s", record).isEqualTo(once);
        }
    }

    @Test
    void nothingOfAStateCanBeChangedFromOutside() {
        for (var state : List.of(DomainState.empty(), after(SLOT, new TaskRegistered(ONE, "s"), started(3)))) {
            assertThatThrownBy(() -> state.open()
                            .put(9L, new DomainState.OpenCheckpoint(9, 0, Set.of(), Set.of(), null, Map.of())))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> state.tasks().put(TWO, 0L)).isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> state.slots().clear()).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    /** Against a fold that forgets nothing and asks all records each time. */
    @SeedSource(count = 200)
    void randomRecordsFoldToWhatTheWholeHistorySays(long seed) {
        var random = new SplittableRandom(seed);
        var state = DomainState.empty();
        var history = new ArrayList<ControlRecord>();
        for (int i = 0; i < 60; i++) {
            var record = random(random);
            history.add(record);
            state = state.after(record);
            assertThat(state.open().keySet()).as("%s", history).isEqualTo(openOf(history));
            assertThat(state.tasks()).as("%s", history).isEqualTo(tasksOf(history));
        }
    }

    private static ControlRecord random(SplittableRandom random) {
        long id = 1L + random.nextInt(12);
        var task = random.nextBoolean() ? ONE : TWO;
        return switch (random.nextInt(6)) {
            case 0 -> new TaskRegistered(task, "s");
            case 1 -> new TaskAdmitted(task, id);
            case 2 -> new CheckpointCompleted(id, manifest("c" + id));
            case 3 -> new CheckpointAbandoned(id, "late");
            case 4 -> acknowledged(id, task, "m" + id);
            default -> new CheckpointStarted(id, 1 + random.nextInt(4) / 3, 0, Set.of(A), Set.of(ONE, TWO));
        };
    }

    private static Set<Long> openOf(List<ControlRecord> history) {
        var open = new TreeMap<Long, Boolean>();
        long highest = 0;
        for (var record : history) {
            if (record instanceof CheckpointStarted started
                    && started.incarnation() == 1
                    && started.checkpoint() > highest) {
                highest = started.checkpoint();
                open.put(highest, true);
            } else if (record instanceof CheckpointCompleted completed) {
                open.remove(completed.checkpoint());
            } else if (record instanceof CheckpointAbandoned abandoned) {
                open.remove(abandoned.checkpoint());
            }
        }
        return open.keySet();
    }

    private static Map<TaskId, Long> tasksOf(List<ControlRecord> history) {
        var tasks = new TreeMap<TaskId, Long>();
        for (var task : List.of(ONE, TWO)) {
            if (history.contains(new TaskRegistered(task, "s"))) {
                tasks.put(task, -1L);
            }
            history.stream()
                    .filter(record -> record instanceof TaskAdmitted admitted
                            && admitted.task().equals(task))
                    .findFirst()
                    .ifPresent(record -> tasks.put(task, ((TaskAdmitted) record).lastCut()));
        }
        return tasks;
    }
}
