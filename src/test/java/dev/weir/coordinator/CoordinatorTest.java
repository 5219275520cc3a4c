package dev.weir.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ControlRecord.Acknowledged;
import dev.weir.barrier.ControlRecord.CheckpointAbandoned;
import dev.weir.barrier.ControlRecord.CheckpointCompleted;
import dev.weir.barrier.ControlRecord.CheckpointStarted;
import dev.weir.barrier.ControlRecord.MarkersPlaced;
import dev.weir.barrier.ControlRecord.SlotFenced;
import dev.weir.barrier.ControlRecord.SlotRegistered;
import dev.weir.barrier.ControlRecord.TaskAdmitted;
import dev.weir.barrier.ControlRecord.TaskRegistered;
import dev.weir.barrier.ManifestRef;
import dev.weir.barrier.Marker;
import dev.weir.barrier.TaskCut;
import dev.weir.coordinator.CoordinatorSettings.MarkerMode;
import dev.weir.coordinator.CoordinatorSettings.SourceTopic;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.snapshot.InMemoryObjectStore;
import dev.weir.snapshot.Manifest;
import dev.weir.snapshot.Manifest.LastCut;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.snapshot.SnapshotStore;
import dev.weir.status.CheckpointStatus;
import dev.weir.time.Clock;
import dev.weir.time.Tokens;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CoordinatorTest {

    private static final TaskId TASK = new TaskId("totals", 0);
    private static final TopicPartition ORDERS_0 = new TopicPartition("orders", 0);
    private static final TopicPartition PRICES_0 = new TopicPartition("prices", 0);

    private long millis = 1_000;
    private final Clock clock = new Clock() {
        @Override
        public long wallMillis() {
            return millis;
        }

        @Override
        public long nanos() {
            return millis * 1_000_000L;
        }
    };
    private final Tokens tokens = Tokens.from(new SplittableRandom(1));
    private final FakeCluster cluster = new FakeCluster();
    private final SnapshotStore store = new SnapshotStore(new InMemoryObjectStore(clock), "shop", tokens);
    private final HandedBackground background = new HandedBackground();
    private final List<String> heard = new ArrayList<>();
    private final CheckpointListener listener = new CheckpointListener() {
        @Override
        public void started(long checkpoint) {
            heard.add("started " + checkpoint);
        }

        @Override
        public void completed(long checkpoint, Duration took) {
            heard.add("completed " + checkpoint + " " + took.toMillis());
        }

        @Override
        public void abandoned(long checkpoint, Duration took, String reason) {
            heard.add("abandoned " + checkpoint);
        }
    };
    private final Coordinator coordinator = coordinator(background);

    private Coordinator coordinator(HandedBackground itsBackground) {
        var settings = CoordinatorSettings.of(
                "shop",
                List.of(
                        new SourceTopic("orders", MarkerMode.IN_BAND),
                        new SourceTopic("prices", MarkerMode.BY_OFFSET)));
        return new Coordinator(settings, cluster, store, listener, itsBackground, clock, tokens);
    }

    private void settle() {
        for (int i = 0; i < 20; i++) {
            coordinator.step(Duration.ZERO);
        }
    }

    private void settleAfter(long moreMillis) {
        millis += moreMillis;
        settle();
    }

    private void registerATask() {
        cluster.topic.add(new TaskRegistered(TASK, "s"));
        settle();
    }

    private void startACheckpoint() {
        registerATask();
        settleAfter(10_000);
    }

    private ManifestRef snapshot(long checkpoint, long position) {
        var positions = Map.of(ORDERS_0, position, PRICES_0, 100L);
        var cut = new LastCut(checkpoint, 7, null, true, positions);
        return store.writeManifest(new Manifest(
                Manifest.FORMAT,
                "shop",
                1,
                Map.of(),
                "s",
                3,
                millis,
                List.of(new TaskSnapshot(TASK, 7, positions, cut, null, List.of(), List.of()))));
    }

    private void acknowledge(long checkpoint, long position) {
        cluster.topic.add(
                new Acknowledged(checkpoint, 1, "s", List.of(new TaskCut(TASK, 7, snapshot(checkpoint, position)))));
    }

    private <T extends ControlRecord> List<T> onTopic(Class<T> type) {
        return cluster.topic.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Test
    void takesACheckpointFromStartToCompletion() {
        startACheckpoint();

        assertThat(onTopic(TaskAdmitted.class)).containsExactly(new TaskAdmitted(TASK, 0));
        assertThat(onTopic(CheckpointStarted.class)).hasSize(1);
        assertThat(cluster.markers.get(ORDERS_0)).containsExactly(new Marker("shop", "cluster-1", 1, 1));
        assertThat(cluster.markers).doesNotContainKey(PRICES_0).hasSize(2);
        assertThat(onTopic(MarkersPlaced.class)).singleElement().satisfies(placed -> assertThat(placed.offsets())
                .containsEntry(PRICES_0, 100L)
                .containsEntry(ORDERS_0, 0L)
                .hasSize(3));
        assertThat(coordinator.checkpoints())
                .containsExactly(new CheckpointStatus(1, CheckpointStatus.Outcome.OPEN, 11_000, 0, 1, 0, null));

        millis += 500;
        acknowledge(1, 0);
        settle();

        assertThat(onTopic(CheckpointCompleted.class))
                .containsExactly(new CheckpointCompleted(1, store.checkpointRef(1)));
        assertThat(store.readCheckpoint(1)).hasValueSatisfying(decided -> {
            assertThat(decided.outcome()).isEqualTo(Outcome.COMPLETE);
            assertThat(decided.cuts()).hasSize(1);
            assertThat(decided.markers()).hasSize(3);
        });
        var status = new CheckpointStatus(1, CheckpointStatus.Outcome.COMPLETED, 11_000, 500, 1, 1, null);
        assertThat(coordinator.checkpoints()).containsExactly(status);
        assertThat(coordinator.lastCompleted()).isEqualTo(status);
        assertThat(heard).containsExactly("started 1", "completed 1 500");
    }

    @Test
    void abandonsACheckpointWithACutThatDoesNotFit() {
        startACheckpoint();
        cluster.topic.add(new Acknowledged(1, 1, "s", List.of(new TaskCut(TASK, 7, snapshot(9, 0)))));
        settle();

        assertThat(onTopic(CheckpointAbandoned.class))
                .singleElement()
                .satisfies(abandoned -> assertThat(abandoned.reason()).contains("not consistent"));
        assertThat(store.readCheckpoint(1))
                .hasValueSatisfying(decided -> assertThat(decided.outcome()).isEqualTo(Outcome.ABANDONED));
        assertThat(coordinator.lastCompleted()).isNull();
    }

    @Test
    void abandonsACheckpointWhoseManifestIsMissing() {
        startACheckpoint();
        cluster.topic.add(new Acknowledged(
                1, 1, "s", List.of(new TaskCut(TASK, 7, new ManifestRef("shop/manifests/s/9-ab.json", "ab")))));
        settle();

        assertThat(onTopic(CheckpointAbandoned.class)).hasSize(1);
    }

    @Test
    void abandonsACheckpointWhoseMarkersCannotBeWritten() {
        cluster.markersFail = true;
        startACheckpoint();

        assertThat(onTopic(CheckpointAbandoned.class)).hasSize(1);
        assertThat(heard).containsExactly("started 1", "abandoned 1");
        cluster.markersFail = false;
        settleAfter(10_000);
        assertThat(onTopic(CheckpointStarted.class))
                .extracting(CheckpointStarted::checkpoint)
                .containsExactly(1L, 2L);
        assertThat(onTopic(MarkersPlaced.class)).hasSize(1);
    }

    @Test
    void readsTheTopicAgainAfterAWriteThatTookEffectAndFailed() {
        registerATask();
        cluster.appendsTakeEffectAndFail = true;
        settleAfter(10_000);
        assertThat(onTopic(CheckpointStarted.class)).hasSize(1);
        settleAfter(1_000);

        assertThat(onTopic(CheckpointAbandoned.class)).hasSize(1);
        settleAfter(20_000);

        assertThat(onTopic(CheckpointStarted.class))
                .extracting(CheckpointStarted::checkpoint)
                .containsExactly(1L, 2L);
        assertThat(cluster.era).isEqualTo(2);
        assertThat(cluster.writersOpen).isEqualTo(1);
    }

    @Test
    void writesNothingMoreWhenDeposed() {
        startACheckpoint();
        assertThat(coordinator.isLeader()).isTrue();
        cluster.leader = false;
        acknowledge(1, 0);
        int before = cluster.topic.size();
        settleAfter(100_000);

        assertThat(cluster.topic).hasSize(before);
        assertThat(coordinator.isLeader()).isFalse();
        assertThat(cluster.writersOpen).isZero();
        assertThat(coordinator.checkpoints()).singleElement().satisfies(status -> assertThat(status.acknowledged())
                .isEqualTo(1));
    }

    @Test
    void anotherLeaderFencesItAndDecidesWhatItLeft() {
        startACheckpoint();
        acknowledge(1, 0);
        background.hold();
        settle();
        var other = coordinator(new HandedBackground());
        for (int i = 0; i < 40; i++) {
            other.step(Duration.ZERO);
        }
        assertThat(onTopic(CheckpointCompleted.class)).hasSize(1);
        int before = cluster.topic.size();

        background.release();
        settle();

        assertThat(cluster.topic).hasSize(before);
        assertThat(cluster.era).isEqualTo(2);
    }

    @Test
    void fencesADeadSlotButNotOneThatRegistersAnewRightBefore() {
        cluster.topic.add(new SlotRegistered("s", "g", "m", List.of("tx-0"), "t1"));
        cluster.topic.add(new SlotRegistered("r", "g", "n", List.of("tx-1"), "t1"));
        settle();
        settleAfter(22_500);
        cluster.onLook = () -> cluster.topic.add(new SlotRegistered("s", "g", "m", List.of("tx-0"), "t2"));
        settleAfter(22_500);

        assertThat(cluster.fenced).containsExactly("tx-1");
        assertThat(onTopic(SlotFenced.class)).containsExactly(new SlotFenced("r", "t1"));
    }

    @Test
    void followsAgainWhenTheControlTopicAnswersAgain() {
        cluster.controlFails = true;
        registerATask();
        assertThat(onTopic(TaskAdmitted.class)).isEmpty();
        cluster.controlFails = false;
        settle();
        assertThat(onTopic(TaskAdmitted.class)).isEmpty();

        settleAfter(1_000);

        assertThat(onTopic(TaskAdmitted.class)).hasSize(1);
    }

    @Test
    void readsTheControlTopicFromItsBeginningWhenItIsOutOfRange() {
        startACheckpoint();
        cluster.readersAreOutOfRange = true;
        settle();
        settleAfter(1_000);
        settleAfter(1_000);
        acknowledge(1, 0);
        settle();

        assertThat(onTopic(CheckpointCompleted.class)).hasSize(1);
        assertThat(cluster.era).isEqualTo(2);
    }

    @Test
    void knowsWhatOthersDidBeforeItStarted() {
        startACheckpoint();
        acknowledge(1, 0);
        settle();
        cluster.leader = false;
        var other = coordinator(new HandedBackground());
        for (int i = 0; i < 40; i++) {
            other.step(Duration.ZERO);
        }

        assertThat(other.isLeader()).isFalse();
        assertThat(other.lastCompleted())
                .isEqualTo(new CheckpointStatus(1, CheckpointStatus.Outcome.COMPLETED, 11_000, -1, 1, 1, null));
    }

    @Test
    void closingGivesLeadershipUpAndClosesTheWriter() {
        startACheckpoint();

        coordinator.close();

        assertThat(cluster.leadershipsClosed).isEqualTo(1);
        assertThat(cluster.writersOpen).isZero();
        assertThat(coordinator.isLeader()).isFalse();
    }
}
