package dev.weir.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.api.Headers;
import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.Marker;
import dev.weir.failure.FencedException;
import dev.weir.failure.TransientException;
import dev.weir.kafka.CommittedPosition;
import dev.weir.kafka.KafkaCluster.SourceSettings;
import dev.weir.kafka.Output;
import dev.weir.kafka.PartitionListener;
import dev.weir.kafka.Source;
import dev.weir.kafka.TransactionalSink;
import dev.weir.kafka.TransactionalSink.CommitOutcome;
import dev.weir.testkit.FaultPlan.Fault;
import dev.weir.testkit.InMemoryKafkaCluster.Hazards;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The unkind cluster is late, loses replies and fences as the real one does. */
class UnkindKafkaTest {

    private static final TopicPartition IN = new TopicPartition("in", 0);
    private static final TopicPartition OUT = new TopicPartition("out", 0);

    private final ManualClock clock = new ManualClock();
    private final SplittableRandom random = new SplittableRandom(42);
    private final InMemoryKafka kafka = InMemoryKafka.unkind(clock, BrokerSettings.defaults(), random);
    private final List<String> events = new ArrayList<>();
    private final Set<Fault> faults = EnumSet.noneOf(Fault.class);

    UnkindKafkaTest() {
        kafka.createTopic("in", 1);
        kafka.createTopic("out", 1);
    }

    // ---- producers and transactions

    @Test
    void recordsOfTwoProducersArriveInAnyOrderButEachOnesInItsOwn() {
        var orders = new HashSet<List<String>>();
        for (int seed = 0; seed < 100; seed++) {
            var own = InMemoryKafka.unkind(clock, BrokerSettings.defaults(), new SplittableRandom(seed));
            own.createTopic("in", 1);
            own.createTopic("out", 1);
            var cluster = own.connect("d");
            var source = member(own, cluster, "m");
            var first = begun(cluster, "t1");
            var second = begun(cluster, "t2");
            send(first, "a1");
            send(first, "a2");
            send(second, "b");
            own.settle();
            first.commit(at(1), source.member());
            second.commit(at(2), source.member());
            own.settle();
            orders.add(own.committedRecords(OUT).stream()
                    .map(record -> new String(Objects.requireNonNull(record.value()), UTF_8))
                    .toList());
        }
        assertThat(orders)
                .containsExactlyInAnyOrder(
                        List.of("a1", "a2", "b"), List.of("a1", "b", "a2"), List.of("b", "a1", "a2"));
    }

    @Test
    void recordsThatWereNotFlushedMayArriveLater() {
        var sink = begun(kafka.connect("d"), "t");
        send(sink, "a");
        assertThat(kafka.end(OUT)).isZero();
        kafka.settle();
        assertThat(kafka.end(OUT)).isEqualTo(1);
    }

    @Test
    void acceptedIsNotReadableUntilTheTransactionMarkersLand() {
        var cluster = kafka.connect("d");
        var source = member(cluster, "a");
        assertThat(commitOne(cluster, source, "t", 3)).isInstanceOf(CommitOutcome.Committed.class);

        assertThat(kafka.committedRecords(OUT)).isEmpty();
        assertThat(kafka.stableEnd(OUT)).isZero();
        assertThat(kafka.committedPositions("g")).isEmpty();

        kafka.settle();
        assertThat(kafka.committedRecords(OUT)).hasSize(1);
        assertThat(kafka.end(OUT)).as("the marker takes an offset").isEqualTo(2);
        assertThat(cluster.committed("g", Set.of(IN))).isEqualTo(Map.of(IN, new CommittedPosition(3, "m")));
    }

    @Test
    void anOpenTransactionMakesTheReadUnstableUntilItTimesOut() {
        var cluster = kafka.connect("d", hazards);
        var source = member(cluster, "a");
        var sink = begun(cluster, "t");
        send(sink, "a");
        sink.flush();
        diesBetweenPositionsAndEnd(sink, source);

        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(() -> cluster.committed("g", Set.of(IN))).isInstanceOf(TransientException.class);
        }
        clock.advance(Duration.ofSeconds(16));
        kafka.tick();
        kafka.settle();
        assertThat(cluster.committed("g", Set.of(IN))).isEmpty();
        assertThatThrownBy(sink::flush).isInstanceOf(FencedException.class);
        assertThat(kafka.committedRecords(OUT)).isEmpty();
    }

    private void diesBetweenPositionsAndEnd(TransactionalSink sink, Source source) {
        dieAt = "positions added";
        assertThatThrownBy(() -> sink.commit(at(5), source.member())).isInstanceOf(SimulatedCrash.class);
        dieAt = "";
    }

    private String dieAt = "";

    private final Hazards hazards = new Hazards() {
        @Override
        public boolean happens(Fault fault) {
            return faults.contains(fault);
        }

        @Override
        public void reach(String point) {
            if (point.equals(dieAt)) {
                throw new SimulatedCrash(process());
            }
        }

        @Override
        public String process() {
            return "p";
        }
    };

    @Test
    void aNewSinkFinishesWhatWasAcceptedAndAbortsWhatWasNot() {
        var cluster = kafka.connect("d");
        var source = member(cluster, "a");
        commitOne(cluster, source, "t", 3);
        var open = begun(cluster, "t");
        assertThat(kafka.committedPositions("g")).isEqualTo(Map.of(IN, new CommittedPosition(3, "m")));
        send(open, "lost");
        open.flush();

        begun(cluster, "t");
        assertThat(kafka.committedRecords(OUT)).hasSize(1);
        assertThat(open.commit(at(9), source.member())).isInstanceOf(CommitOutcome.NotCommitted.class);
    }

    @Test
    void aLostReplyIsUnknownWhetherTheCommitTookEffectOrNot() {
        var cluster = kafka.connect("d", hazards);
        var source = member(cluster, "a");
        faults.add(Fault.LOST_COMMIT_REPLY);
        var seen = new HashSet<Boolean>();
        for (long i = 1; i < 60; i++) {
            assertThat(commitOne(cluster, source, "t", i)).isInstanceOf(CommitOutcome.Unknown.class);
            kafka.connect("d").openSink("t").close();
            var now = kafka.committedPositions("g").get(IN);
            seen.add(now != null && now.offset() == i);
        }
        assertThat(seen).containsExactlyInAnyOrder(true, false);
    }

    @Test
    void aDelayedCommitHitsOnlyItsOwnTransaction() {
        var cluster = kafka.connect("d", hazards);
        var source = member(cluster, "a");
        for (long i = 1; i < 40; i++) {
            faults.add(Fault.LOST_COMMIT_REPLY);
            commitOne(cluster, source, "t", i);
            faults.clear();
            var next = begun(cluster, "t");
            send(next, "open");
            next.flush();
            var before = kafka.committedPositions("g");
            kafka.settle();
            assertThat(kafka.committedPositions("g")).isEqualTo(before);
            next.close();
        }
    }

    @Test
    void aFlushWhoseReplyIsLostFailsThoughSomeArrived() {
        var cluster = kafka.connect("d", hazards);
        var sink = begun(cluster, "t");
        send(sink, "a");
        faults.add(Fault.LOST_APPEND_REPLY);
        assertThatThrownBy(sink::flush).isInstanceOf(TransientException.class);
        assertThatThrownBy(() -> send(sink, "b")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void withoutPositionsOrMemberNobodyIsFenced() {
        var cluster = kafka.connect("d");
        var source = member(cluster, "a");
        var member = source.member();
        source.leave(Duration.ZERO);
        assertThat(committing(cluster, "t").commit(at(1), member)).isInstanceOf(CommitOutcome.NotCommitted.class);

        assertThat(UncheckedCommits.withoutPositions(committing(cluster, "t"), member))
                .isInstanceOf(CommitOutcome.Committed.class);
        assertThat(UncheckedCommits.withoutMember(committing(cluster, "t"), at(2), member))
                .isInstanceOf(CommitOutcome.Committed.class);
        kafka.settle();
        assertThat(kafka.committedPositions("g")).isEqualTo(at(2));
        assertThat(kafka.committedRecords(OUT)).hasSize(2);
    }

    @Test
    void ofTwoCommitsForAPartitionTheOneAddedLastCountsWhicheverLandsFirst() {
        for (int seed = 0; seed < 20; seed++) {
            var own = InMemoryKafka.unkind(clock, BrokerSettings.defaults(), new SplittableRandom(seed));
            own.createTopic("in", 1);
            own.createTopic("out", 1);
            var cluster = own.connect("d");
            var source = member(own, cluster, "a");
            commitOne(cluster, source, "t1", 1);
            commitOne(cluster, source, "t2", 2);
            own.settle();
            assertThat(own.committedPositions("g")).isEqualTo(at(2));
        }
    }

    // ---- groups

    @Test
    void aZombieLosesItsPartitionsAndCannotCommit() {
        var cluster = kafka.connect("d");
        var other = kafka.connect("d");
        var zombie = member(cluster, "a");
        var before = zombie.member();
        cluster.freeze();
        var heir = other.openSource(settings("b"), listener("b"));
        until(() -> heir.owned().contains(IN), () -> {
            heir.poll(Duration.ZERO);
            clock.advance(Duration.ofMillis(500));
        });
        cluster.thaw();

        assertThat(zombie.owned()).as("it does not know yet").contains(IN);
        assertThat(committing(cluster, "t").commit(at(1), before)).isInstanceOf(CommitOutcome.NotCommitted.class);
        events.clear();
        zombie.poll(Duration.ZERO);
        assertThat(events).contains("a lost");
        assertThat(zombie.owned()).isEmpty();
    }

    @Test
    void whoBeatsStaysAMemberWithoutPollingUntilThePollInterval() {
        var cluster = kafka.connect("d");
        member(cluster, "a");
        clock.advance(Duration.ofSeconds(19));
        kafka.tick();
        assertThat(cluster.memberInstances("g")).containsExactly("a");
        for (int i = 0; i < 9; i++) {
            clock.advance(Duration.ofSeconds(1));
            kafka.tick();
        }
        assertThat(cluster.memberInstances("g")).isEmpty();
    }

    @Test
    void theSecondOfAnInstanceFencesTheFirstWithoutARebalance() {
        var first = member(kafka.connect("d"), "a");
        int generation = first.member().generation();
        var cluster = kafka.connect("d");
        var second = member(cluster, "a");

        assertThat(second.member().generation()).isEqualTo(generation);
        assertThat(committing(cluster, "t").commit(at(1), first.member()))
                .isInstanceOf(CommitOutcome.NotCommitted.class);
        assertThatThrownBy(() -> first.poll(Duration.ZERO)).isInstanceOf(FencedException.class);
        assertThat(events).contains("a lost");
    }

    @Test
    void aKilledProcessStaysAMemberUntilItsSessionEnds() {
        var cluster = kafka.connect("d");
        var source = member(cluster, "a");
        cluster.kill();
        assertThatThrownBy(() -> source.poll(Duration.ZERO)).isInstanceOf(SimulatedCrash.class);
        var observer = kafka.connect("d");
        kafka.tick();
        assertThat(observer.memberInstances("g")).containsExactly("a");
        clock.advance(Duration.ofSeconds(7));
        kafka.tick();
        assertThat(observer.memberInstances("g")).isEmpty();
    }

    // ---- control, markers, leadership

    @Test
    void twoMayBelieveThatTheyLeadButOnlyTheNewerWrites() {
        var cluster = kafka.connect("d");
        var old = cluster.openLeadership();
        old.poll(Duration.ZERO);
        var oldWriter = cluster.openLeaderWriter();
        cluster.freeze();
        clock.advance(Duration.ofSeconds(7));
        kafka.tick();
        var other = kafka.connect("d");
        var now = other.openLeadership();
        now.poll(Duration.ZERO);
        cluster.thaw();
        assertThat(old.isLeader()).isTrue();
        assertThat(now.isLeader()).isTrue();

        other.openLeaderWriter().append(List.of(new ControlRecord.CheckpointAbandoned(1, "x")));
        assertThatThrownBy(() -> oldWriter.append(List.of(new ControlRecord.CheckpointAbandoned(1, "y"))))
                .isInstanceOf(FencedException.class);
        old.poll(Duration.ZERO);
        assertThat(old.isLeader()).isFalse();
    }

    @Test
    void markersMayBeWrittenInPart() {
        var partitions = Set.of(OUT, IN);
        var writer = kafka.connect("d", hazards).openMarkerWriter();
        faults.add(Fault.PARTIAL_MARKERS);
        var counts = new HashSet<Long>();
        for (long id = 1; id < 30; id++) {
            long before = partitions.stream().mapToLong(kafka::end).sum();
            var marker = new Marker("d", "in-memory", 1, id);
            assertThatThrownBy(() -> writer.write(marker, partitions)).isInstanceOf(TransientException.class);
            kafka.settle();
            counts.add(partitions.stream().mapToLong(kafka::end).sum() - before);
        }
        assertThat(counts).containsExactlyInAnyOrder(0L, 1L, 2L);
    }

    // ---- what the tests are made of

    private Source member(InMemoryKafkaCluster cluster, String instance) {
        return member(kafka, cluster, instance);
    }

    private Source member(InMemoryKafka of, InMemoryKafkaCluster cluster, String instance) {
        var source = cluster.openSource(settings(instance), listener(instance));
        until(() -> source.owned().contains(IN) && !source.isRebalancing(), () -> {
            source.poll(Duration.ZERO);
            of.progress();
        });
        return source;
    }

    private static SourceSettings settings(String instance) {
        return new SourceSettings("g", instance, List.of("in"), Set.of());
    }

    private void until(BooleanSupplier condition, Runnable step) {
        for (int i = 0; i < 1_000 && !condition.getAsBoolean(); i++) {
            step.run();
            kafka.tick();
            kafka.progress();
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    private PartitionListener listener(String name) {
        return new PartitionListener() {
            @Override
            public void onAssigned(Set<TopicPartition> partitions) {
                events.add(name + " assigned");
            }

            @Override
            public void onRevoked(Set<TopicPartition> partitions) {
                events.add(name + " revoked");
            }

            @Override
            public void onLost(Set<TopicPartition> partitions) {
                events.add(name + " lost");
            }
        };
    }

    private static TransactionalSink begun(InMemoryKafkaCluster cluster, String id) {
        var sink = cluster.openSink(id);
        sink.begin();
        return sink;
    }

    private static TransactionalSink committing(InMemoryKafkaCluster cluster, String id) {
        var sink = begun(cluster, id);
        send(sink, "a");
        sink.flush();
        return sink;
    }

    private static CommitOutcome commitOne(InMemoryKafkaCluster cluster, Source source, String id, long offset) {
        return committing(cluster, id).commit(at(offset), source.member());
    }

    private static Map<TopicPartition, CommittedPosition> at(long offset) {
        return Map.of(IN, new CommittedPosition(offset, "m"));
    }

    /** All go to the same partition. */
    private static void send(TransactionalSink sink, String value) {
        sink.send(new Output("out", "a".getBytes(UTF_8), value.getBytes(UTF_8), Headers.none(), -1));
    }
}
