package dev.weir.fault;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.Marker;
import dev.weir.fixture.ForwardingCluster;
import dev.weir.fixture.ForwardingStore;
import dev.weir.kafka.MarkerWriter;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.snapshot.StoreLayout;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The leading coordinator dies in the middle of a checkpoint; the next leader decides it (F3, R40, R41, I8). */
class LeaderFaultsIT {

    /** Where the leader stands still, and for which checkpoint, once that is armed. */
    private static final class Stop {

        final AtomicBoolean armed = new AtomicBoolean();
        final AtomicLong checkpoint = new AtomicLong();
        final Barrier barrier = new Barrier();

        /** Whether the leader is to stand still here. */
        boolean isHere(long id) {
            return armed.get() && checkpoint.compareAndSet(0, id);
        }
    }

    /** Three that only coordinate, one of which leads, and two that only work; several checkpoints are complete. */
    private static Rig started(UnaryOperator<Service> decorate) {
        var rig = Rig.create(setup -> setup.alignmentTimeout = Duration.ofSeconds(2));
        coordinators(rig)
                .forEach(service -> decorate.apply(service.withoutWorkers()).run());
        rig.service("a").withoutCoordinator().run();
        rig.service("b").withoutCoordinator().run();
        rig.startTrickle(2, Duration.ofMillis(20));
        rig.await("both tasks take part", () -> rig.domainState().tasks().size() == 2);
        rig.awaitNextCheckpoint();
        return rig;
    }

    private static List<Service> coordinators(Rig rig) {
        return List.of(rig.service("c1"), rig.service("c2"), rig.service("c3"));
    }

    /** Kills the leader where it stands and waits for the next one. */
    private static void killAtStop(Rig rig, Stop stop) {
        stop.armed.set(true);
        rig.await("the leader has come to its stop", stop.barrier::isReached);
        var leaders = coordinators(rig).stream().filter(Service::leads).toList();
        assertThat(leaders).hasSize(1);
        leaders.get(0).kill();
        rig.expelMembers(rig.electionGroup());
        rig.await("another one leads", () -> coordinators(rig).stream()
                .anyMatch(service -> service.isAlive() && service.leads()));
    }

    private static long count(Rig rig, Class<? extends ControlRecord> type, long id) {
        return rig.control().stream()
                .filter(type::isInstance)
                .filter(record -> record instanceof ControlRecord.CheckpointStarted started
                                && started.checkpoint() == id
                        || record instanceof ControlRecord.CheckpointCompleted completed && completed.checkpoint() == id
                        || record instanceof ControlRecord.CheckpointAbandoned abandoned && abandoned.checkpoint() == id
                        || record instanceof ControlRecord.MarkersPlaced placed && placed.checkpoint() == id)
                .count();
    }

    @Test
    @DisplayName(
            "leader-killed-mid-checkpoint, before the markers (F3, R40, R41): abandoned by the next leader, ids go on")
    void leaderKilledBeforeMarkers() throws Exception {
        var stop = new Stop();
        try (var rig = started(service -> service.withCluster(real -> new ForwardingCluster(real) {
            @Override
            public MarkerWriter openMarkerWriter() {
                var writer = real.openMarkerWriter();
                return new MarkerWriter() {
                    @Override
                    public Map<TopicPartition, Long> write(Marker marker, Set<TopicPartition> partitions) {
                        if (stop.isHere(marker.checkpoint())) {
                            stop.barrier.pass();
                        }
                        return writer.write(marker, partitions);
                    }

                    @Override
                    public void close() {
                        writer.close();
                    }
                };
            }
        }))) {
            killAtStop(rig, stop);
            long id = stop.checkpoint.get();
            stop.barrier.open();
            rig.finish();
            assertThat(count(rig, ControlRecord.CheckpointStarted.class, id)).isEqualTo(1);
            assertThat(count(rig, ControlRecord.MarkersPlaced.class, id)).isZero();
            assertThat(count(rig, ControlRecord.CheckpointCompleted.class, id)).isZero();
            assertThat(count(rig, ControlRecord.CheckpointAbandoned.class, id)).isEqualTo(1);
            var decided = requireNonNull(rig.checkpoints().get(id));
            assertThat(decided.outcome()).isEqualTo(Outcome.ABANDONED);
            assertThat(decided.reason()).contains("new leader took over");
            assertThat(rig.highestComplete()).isGreaterThan(id);
        }
    }

    @Test
    @DisplayName(
            "leader-killed-mid-checkpoint, before the decision (F3, F8, R40, I8): the next leader decides, the dead one's late word counts for nothing")
    void leaderKilledBeforeDecision() throws Exception {
        var stop = new Stop();
        var late = new AtomicReference<Runnable>();
        var lateWon = new AtomicReference<Boolean>();
        try (var rig = started(service -> service.withObjects(real -> new ForwardingStore(real) {
            @Override
            public boolean createIfAbsent(String name, byte[] content) {
                long id = id(name);
                if (id > 0 && stop.isHere(id)) {
                    late.set(() -> lateWon.set(real.createIfAbsent(name, content)));
                    stop.barrier.pass();
                }
                return real.createIfAbsent(name, content);
            }
        }))) {
            killAtStop(rig, stop);
            long id = stop.checkpoint.get();
            rig.await("it is decided", () -> rig.checkpoints().containsKey(id));
            var decided = requireNonNull(rig.checkpoints().get(id));
            requireNonNull(late.get()).run();
            stop.barrier.open();
            rig.finish();
            assertThat(lateWon).hasValue(false);
            assertThat(decided.outcome()).isEqualTo(Outcome.COMPLETE);
            assertThat(decided.cuts()).hasSize(2);
            assertThat(rig.checkpoints().get(id)).isEqualTo(decided);
            assertThat(count(rig, ControlRecord.MarkersPlaced.class, id)).isEqualTo(1);
            assertThat(count(rig, ControlRecord.CheckpointCompleted.class, id)).isEqualTo(1);
            assertThat(count(rig, ControlRecord.CheckpointAbandoned.class, id)).isZero();
        }
    }

    @Test
    @DisplayName(
            "leader-killed-mid-checkpoint, after the decision (F3, R40, I8): the next leader only says what is decided")
    void leaderKilledAfterDecision() throws Exception {
        var stop = new Stop();
        try (var rig = started(service -> service.withObjects(real -> new ForwardingStore(real) {
            @Override
            public boolean createIfAbsent(String name, byte[] content) {
                boolean created = real.createIfAbsent(name, content);
                long id = id(name);
                if (created && id > 0 && stop.isHere(id)) {
                    stop.barrier.pass();
                }
                return created;
            }
        }))) {
            killAtStop(rig, stop);
            long id = stop.checkpoint.get();
            var decided = requireNonNull(rig.checkpoints().get(id));
            assertThat(decided.outcome()).isEqualTo(Outcome.COMPLETE);
            stop.barrier.open();
            rig.finish();
            assertThat(rig.checkpoints().get(id)).isEqualTo(decided);
            assertThat(count(rig, ControlRecord.CheckpointCompleted.class, id)).isEqualTo(1);
            assertThat(count(rig, ControlRecord.CheckpointAbandoned.class, id)).isZero();
        }
    }

    /** The id of a checkpoint's object, 0 for any other. */
    private static long id(String name) {
        var domain = name.substring(0, name.indexOf('/'));
        return new StoreLayout(domain).checkpointId(name).orElse(0);
    }
}
