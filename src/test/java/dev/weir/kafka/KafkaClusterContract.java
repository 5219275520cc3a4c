package dev.weir.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.api.Headers;
import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.DomainState;
import dev.weir.barrier.ManifestRef;
import dev.weir.barrier.Marker;
import dev.weir.failure.FencedException;
import dev.weir.failure.StoppedException;
import dev.weir.failure.TransientException;
import dev.weir.failure.UnknownOutcomeException;
import dev.weir.failure.WeirException;
import dev.weir.kafka.KafkaCluster.SourceSettings;
import dev.weir.kafka.TransactionalSink.CommitOutcome;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link KafkaCluster} must do, the real one and those that stand for it. All cases of a class may share one cluster. */
public abstract class KafkaClusterContract {

    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private String name = "";
    private String topic = "";

    @SuppressWarnings("NullAway.Init") // set before each test
    private KafkaCluster cluster;

    /** A client of the one cluster under test, for a domain of this name. Timeouts of reads should be a few seconds at most. */
    protected abstract KafkaCluster newCluster(String domain);

    /** Creates a topic. */
    protected abstract void createTopic(String topic, int partitions);

    /** Writes one record outside of any transaction, waits for it, and returns its offset. */
    protected abstract long produce(TopicPartition partition, Output record);

    /** All records of a topic that a read_committed consumer can see now, in the order of partitions and offsets. */
    protected abstract List<Seen> readCommitted(String topic);

    /** Deletes a partition's records below an offset. */
    protected abstract void trim(TopicPartition partition, long below);

    /**
     * Begins a transaction, writes a record into it and adds positions of a group without members to it; returns without ending it.
     */
    protected abstract AutoCloseable leaveOpen(
            String transactionalId, Output record, String group, Map<TopicPartition, CommittedPosition> positions);

    /** A record as an observer sees it. */
    public record Seen(
            int partition,
            long offset,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers,
            long timestamp) {

        String text() {
            return value == null ? "null" : new String(value, UTF_8);
        }
    }

    @BeforeEach
    void openCluster() {
        name = "c" + NAMES.incrementAndGet() + "-"
                + Long.toHexString(ProcessHandle.current().pid());
        topic = name + "-in";
        cluster = open(newCluster(name));
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    // ---- transactions

    @Test
    void recordsAndPositionsOfACommittedTransactionAreVisible() {
        createTopic(topic, 1);
        createTopic(name + "-out", 1);
        var source = join("a", Set.of(0));
        var sink = open(cluster.openSink(name + ".tx"));
        sink.begin();
        sink.send(output(name + "-out", "k", "v1"));
        sink.send(output(name + "-out", "k", "v2"));
        sink.flush();

        assertThat(texts(name + "-out")).isEmpty();
        var outcome = sink.commit(at(0, 7, "pointer"), source.member());

        assertThat(outcome).isInstanceOf(CommitOutcome.Committed.class);
        eventually(() -> texts(name + "-out").equals(List.of("v1", "v2")));
        assertThat(cluster.committed(group(), Set.of(in(0)))).isEqualTo(at(0, 7, "pointer"));
    }

    @Test
    void oneSinkCommitsManyTransactions() {
        createTopic(topic, 1);
        createTopic(name + "-out", 1);
        var source = join("a", Set.of(0));
        var sink = open(cluster.openSink(name + ".tx"));
        for (int i = 0; i < 5; i++) {
            sink.begin();
            sink.send(output(name + "-out", "k", "v" + i));
            sink.flush();
            assertThat(sink.commit(at(0, i, ""), source.member())).isInstanceOf(CommitOutcome.Committed.class);
        }
        eventually(() -> texts(name + "-out").equals(List.of("v0", "v1", "v2", "v3", "v4")));
        assertThat(cluster.committed(group(), Set.of(in(0)))).isEqualTo(at(0, 4, ""));
    }

    @Test
    void theNextSinkOfTheSameIdAbortsWhatTheFirstLeftOpenAndFencesIt() {
        createTopic(topic, 1);
        createTopic(name + "-out", 1);
        var source = join("a", Set.of(0));
        var first = open(cluster.openSink(name + ".tx"));
        first.begin();
        first.send(output(name + "-out", "k", "lost"));
        first.flush();

        var second = open(cluster.openSink(name + ".tx"));
        var outcome = first.commit(at(0, 3, "first"), source.member());

        assertThat(outcome).isNotInstanceOf(CommitOutcome.Committed.class);
        second.begin();
        second.send(output(name + "-out", "k", "kept"));
        second.flush();
        assertThat(second.commit(at(0, 5, "second"), source.member())).isInstanceOf(CommitOutcome.Committed.class);
        eventually(() -> texts(name + "-out").equals(List.of("kept")));
        assertThat(cluster.committed(group(), Set.of(in(0)))).isEqualTo(at(0, 5, "second"));
    }

    @Test
    void aFencedSinkFailsAtItsFlush() {
        createTopic(name + "-out", 1);
        var first = open(cluster.openSink(name + ".tx"));
        open(cluster.openSink(name + ".tx"));

        assertThatThrownBy(() -> {
                    first.begin();
                    first.send(output(name + "-out", "k", "late"));
                    first.flush();
                })
                .isInstanceOf(FencedException.class);
    }

    @Test
    void anEmptyMapOfPositionsIsRefused() {
        createTopic(topic, 1);
        var source = join("a", Set.of(0));
        var sink = open(cluster.openSink(name + ".tx"));
        sink.begin();
        assertThatThrownBy(() -> sink.commit(Map.of(), source.member())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void nothingIsCommittedForAMemberThatHasLeft() {
        createTopic(topic, 1);
        createTopic(name + "-out", 1);
        var source = join("a", Set.of(0));
        var member = source.member();
        var sink = open(cluster.openSink(name + ".tx"));
        sink.begin();
        sink.send(output(name + "-out", "k", "never"));
        sink.flush();
        source.leave(LONG);

        assertThat(sink.commit(at(0, 3, ""), member)).isInstanceOf(CommitOutcome.NotCommitted.class);
        open(cluster.openSink(name + ".tx"));
        assertThat(texts(name + "-out")).isEmpty();
        assertThat(cluster.committed(group(), Set.of(in(0)))).isEmpty();
    }

    @Test
    void nothingIsCommittedForAnOlderGeneration() {
        createTopic(topic, 2);
        var a = join("a", Set.of(0, 1));
        var old = a.member();
        var b = source("b", Set.of());
        pollUntil(() -> a.owned().size() == 1 && b.owned().size() == 1, a, b);
        var sink = open(cluster.openSink(name + ".tx"));
        sink.begin();
        sink.flush();

        assertThat(sink.commit(at(0, 3, ""), old)).isInstanceOf(CommitOutcome.NotCommitted.class);
    }

    @Test
    void nothingIsCommittedForNoMember() {
        createTopic(topic, 1);
        var sink = open(cluster.openSink(name + ".tx"));
        var never = source("a", Set.of());
        sink.begin();
        sink.flush();

        assertThat(never.member().generation()).isNegative();
        assertThat(sink.commit(at(0, 3, ""), never.member())).isInstanceOf(CommitOutcome.NotCommitted.class);
    }

    @Test
    void metadataOfTwoHundredBytesComesBackAsItWas() {
        createTopic(topic, 1);
        var source = join("a", Set.of(0));
        var metadata = "é" + "x".repeat(197) + "\"";
        var sink = open(cluster.openSink(name + ".tx"));
        sink.begin();
        sink.flush();

        assertThat(metadata.getBytes(UTF_8)).hasSize(200);
        assertThat(sink.commit(at(0, 0, metadata), source.member())).isInstanceOf(CommitOutcome.Committed.class);
        assertThat(cluster.committed(group(), Set.of(in(0)))).isEqualTo(at(0, 0, metadata));
    }

    @Test
    void partitionsWithoutACommittedPositionAreLeftOut() {
        createTopic(topic, 2);
        var source = join("a", Set.of(0, 1));
        commit(source, at(1, 4, "one"));

        assertThat(cluster.committed(group(), Set.of(in(0), in(1)))).isEqualTo(at(1, 4, "one"));
        assertThat(cluster.committed(name + "-nobody", Set.of(in(0)))).isEmpty();
    }

    @Test
    void aStableReadDoesNotAnswerWhileATransactionIsPendingAndFencingEndsIt() throws Exception {
        createTopic(topic, 1);
        createTopic(name + "-out", 1);
        try (var pending = leaveOpen(name + ".other", output(name + "-out", "k", "no"), group(), at(0, 9, "pending"))) {
            assertThat(pending).isNotNull();
            assertThatThrownBy(() -> cluster.committed(group(), Set.of(in(0)))).isInstanceOf(TransientException.class);

            cluster.fence(List.of(name + ".other", name + ".never-used"));

            assertThat(cluster.committed(group(), Set.of(in(0)))).isEmpty();
            assertThat(texts(name + "-out")).isEmpty();
        }
    }

    @Test
    void aRecordThatIsTooLargeIsRefusedBeforeItIsSent() {
        createTopic(topic, 1);
        createTopic(name + "-out", 1);
        var source = join("a", Set.of(0));
        var sink = open(cluster.openSink(name + ".tx"));
        sink.begin();
        sink.send(output(name + "-out", "k", "small"));

        var large = new Output(name + "-out", null, new byte[sink.maxRecordBytes()], Headers.none(), -1);
        assertThatThrownBy(() -> sink.send(large)).isInstanceOf(WeirException.class);

        sink.flush();
        assertThat(sink.commit(at(0, 1, ""), source.member())).isInstanceOf(CommitOutcome.Committed.class);
        eventually(() -> texts(name + "-out").equals(List.of("small")));
    }

    @Test
    void nullsEmptinessHeadersAndTimestampsSurvive() {
        createTopic(topic, 1);
        createTopic(name + "-out", 1);
        var source = join("a", Set.of(0));
        var headers = Headers.none().with("h", "1").with("n", (byte[]) null).with("h", "2");
        var sink = open(cluster.openSink(name + ".tx"));
        sink.begin();
        sink.send(new Output(name + "-out", null, new byte[0], headers, 1_234));
        sink.send(new Output(name + "-out", new byte[0], null, Headers.none(), 5_678));
        sink.flush();
        assertThat(sink.commit(at(0, 1, ""), source.member())).isInstanceOf(CommitOutcome.Committed.class);

        eventually(() -> texts(name + "-out").size() == 2);
        var seen = readCommitted(name + "-out");
        assertThat(seen.get(0).key()).isNull();
        assertThat(seen.get(0).value()).isEmpty();
        assertThat(seen.get(0).timestamp()).isEqualTo(1_234);
        assertThat(describe(seen.get(0).headers())).containsExactly("h=1", "n=null", "h=2");
        assertThat(seen.get(1).key()).isEmpty();
        assertThat(seen.get(1).value()).isNull();
        assertThat(seen.get(1).timestamp()).isEqualTo(5_678);
    }

    // ---- reading

    @Test
    void newPartitionsArePausedUntilTheyAreSoughtAndResumed() {
        createTopic(topic, 1);
        produce(in(0), output(topic, "k", "v0"));
        produce(in(0), output(topic, "k", "v1"));
        var listener = new Recorder();
        var source = source("a", Set.of(), listener);
        pollUntil(() -> source.owned().contains(in(0)), source);

        assertThat(listener.events).containsExactly("assigned " + in(0));
        assertThat(drain(source, 10)).isEmpty();
        source.seek(in(0), 1);
        source.resume(Set.of(in(0)));

        assertThat(read(source, 1)).containsExactly("v1");
        assertThat(source.position(in(0))).isEqualTo(2);
    }

    @Test
    void aPausedPartitionGivesNothingAndLosesNothing() {
        createTopic(topic, 1);
        for (int i = 0; i < 10; i++) {
            produce(in(0), output(topic, "k", "v" + i));
        }
        var source = join("a", Set.of(0));
        assertThat(read(source, 10)).hasSize(10);
        source.pause(Set.of(in(0)));
        produce(in(0), output(topic, "k", "v10"));
        assertThat(drain(source, 10)).isEmpty();

        source.resume(Set.of(in(0)));
        assertThat(read(source, 1)).containsExactly("v10");
        source.seek(in(0), 9);
        assertThat(read(source, 2)).containsExactly("v9", "v10");
    }

    @Test
    void thePositionPassesTransactionMarkers() {
        createTopic(topic, 1);
        createTopic(name + "-by", 1);
        var by = join("by", Set.of(0), List.of(name + "-by"), name + "-by-group");
        var sink = open(cluster.openSink(name + ".tx"));
        for (int i = 0; i < 2; i++) {
            sink.begin();
            sink.send(output(topic, "k", "v" + i));
            sink.flush();
            var positions = Map.of(new TopicPartition(name + "-by", 0), new CommittedPosition(i, ""));
            assertThat(sink.commit(positions, by.member())).isInstanceOf(CommitOutcome.Committed.class);
        }
        var source = join("a", Set.of(0));
        var batches = new ArrayList<Records>();
        eventually(() -> {
            batches.addAll(source.poll(SHORT));
            return source.position(in(0)) == 4;
        });

        assertThat(offsets(batches)).containsExactly(0L, 2L);
        assertThat(batches.get(batches.size() - 1).nextOffset()).isBetween(3L, 4L);
        assertThat(cluster.endOffsets(Set.of(in(0)))).isEqualTo(Map.of(in(0), 4L));
    }

    @Test
    void abortedRecordsAreNotReadAndThoseBehindAnOpenTransactionWait() {
        createTopic(topic, 1);
        var open = open(cluster.openSink(name + ".tx"));
        open.begin();
        open.send(output(topic, "k", "aborted"));
        open.flush();
        produce(in(0), output(topic, "k", "behind"));
        var source = join("a", Set.of(0));

        assertThat(drain(source, 10)).isEmpty();
        assertThat(cluster.endOffsets(Set.of(in(0)))).isEqualTo(Map.of(in(0), 2L));
        cluster.fence(List.of(name + ".tx"));

        assertThat(read(source, 1)).containsExactly("behind");
    }

    @Test
    void aPositionBelowTheLogStopsTheSource() {
        createTopic(topic, 1);
        for (int i = 0; i < 5; i++) {
            produce(in(0), output(topic, "k", "v" + i));
        }
        trim(in(0), 3);
        var source = source("a", Set.of());
        pollUntil(() -> source.owned().contains(in(0)), source);
        source.seek(in(0), 1);
        source.resume(Set.of(in(0)));

        assertThatThrownBy(() -> read(source, 1))
                .isInstanceOf(StoppedException.class)
                .hasMessageContaining(in(0).toString())
                .hasMessageContaining("1")
                .hasMessageContaining("3");
    }

    @Test
    void theKnownEndFollowsTheLog() {
        createTopic(topic, 1);
        produce(in(0), output(topic, "k", "v0"));
        produce(in(0), output(topic, "k", "v1"));
        var source = join("a", Set.of(0));
        read(source, 2);

        pollUntil(() -> source.knownEnd(in(0)) == 2, source);
    }

    @Test
    void markersAreRecognisedAndOtherHeadersLeftAlone() {
        createTopic(topic, 2);
        produce(in(0), new Output(topic, null, new byte[0], Headers.none().with("weir", (byte[]) null), 77));
        var marker = new Marker(name, cluster.clusterId(), 3, 12);
        var markers = open(cluster.openMarkerWriter());

        assertThat(markers.write(marker, Set.of(in(0), in(1)))).isEqualTo(Map.of(in(0), 1L, in(1), 0L));
        var source = join("a", Set.of(0, 1));
        var seen = new TreeMap<String, Records>();
        eventually(() -> {
            source.poll(SHORT).forEach(batch -> IntStream.range(0, batch.size())
                    .forEach(i -> seen.put(batch.partition() + "@" + batch.offset(i), batch)));
            return seen.size() == 3;
        });

        var plain = requireNonNull(seen.get(in(0) + "@0"));
        assertThat(plain.marker(0)).isNull();
        assertThat(plain.key(0)).isNull();
        assertThat(plain.value(0)).isEmpty();
        assertThat(plain.timestamp(0)).isEqualTo(77);
        assertThat(describe(plain.headers(0))).containsExactly("weir=null");
        var first = requireNonNull(seen.get(in(0) + "@1"));
        int at = first.size() - 1;
        assertThat(first.marker(at)).isEqualTo(marker);
        assertThat(first.key(at)).isNotEmpty();
        assertThat(first.value(at)).isNotEmpty();
        assertThat(requireNonNull(seen.get(in(1) + "@0")).marker(0)).isEqualTo(marker);
    }

    // ---- groups

    @Test
    void allInputsOfATaskGoToOneMember() {
        createTopic(name + "-x", 4);
        createTopic(name + "-y", 4);
        var topics = List.of(name + "-x", name + "-y");
        var a = source("a", Set.of(), new Recorder(), topics, group());
        var b = source("b", Set.of(), new Recorder(), topics, group());
        pollUntil(() -> a.owned().size() == 4 && b.owned().size() == 4, a, b);

        for (var member : List.of(a, b)) {
            assertThat(partitions(member, name + "-x")).hasSize(2).isEqualTo(partitions(member, name + "-y"));
        }
        assertThat(partitions(a, name + "-x")).doesNotContainAnyElementsOf(partitions(b, name + "-x"));
    }

    @Test
    void aNewcomerTakesOnlyWhatIsRevokedFirst() {
        createTopic(topic, 4);
        var listener = new Recorder();
        var a = source("a", Set.of(), listener);
        pollUntil(() -> a.owned().size() == 4, a);
        var before = a.member().generation();
        var newcomer = new Recorder();
        var b = source("b", Set.of(), newcomer);
        var revokedFirst = new ArrayList<Boolean>();
        newcomer.onAssigned = partitions -> revokedFirst.add(listener.revoked.containsAll(partitions));
        listener.onRevoked = partitions -> assertThat(a.owned()).containsAll(partitions);
        pollUntil(
                () -> a.owned().size() == 2 && b.owned().size() == 2 && !a.isRebalancing() && !b.isRebalancing(), a, b);

        assertThat(revokedFirst).isNotEmpty().doesNotContain(false);
        assertThat(listener.revoked).isEqualTo(b.owned());
        assertThat(listener.lost).isEmpty();
        assertThat(a.member().generation()).isGreaterThan(before);
        assertThat(a.member().generation()).isEqualTo(b.member().generation());
    }

    @Test
    void whatIsRevokedCanStillBeCommittedInTheCallback() {
        createTopic(topic, 2);
        var listener = new Recorder();
        var a = source("a", Set.of(), listener);
        pollUntil(() -> a.owned().size() == 2, a);
        var outcomes = new ArrayList<CommitOutcome>();
        listener.onRevoked = partitions ->
                outcomes.add(commit(a, at(partitions.iterator().next().partition(), 6, "last")));
        var b = source("b", Set.of());
        pollUntil(() -> a.owned().size() == 1 && b.owned().size() == 1, a, b);

        assertThat(outcomes).singleElement().isInstanceOf(CommitOutcome.Committed.class);
        assertThat(cluster.committed(group(), b.owned()).values()).containsExactly(new CommittedPosition(6, "last"));
    }

    @Test
    void whoLeavesHandsOverAtOnceAndIsTold() {
        createTopic(topic, 2);
        var listener = new Recorder();
        var a = source("a", Set.of(), listener);
        var b = source("b", Set.of());
        pollUntil(() -> a.owned().size() == 1 && b.owned().size() == 1, a, b);
        var owned = a.owned();
        a.leave(LONG);

        assertThat(listener.events.get(listener.events.size() - 1))
                .isEqualTo("revoked " + owned.iterator().next());
        pollUntil(() -> b.owned().size() == 2, b);
        assertThat(cluster.memberInstances(group())).containsExactly(name + ".b");
    }

    @Test
    void whoClosesStaysAMemberAndGetsTheSameAgain() {
        createTopic(topic, 4);
        var a = source("a", Set.of());
        var others = new Recorder();
        var b = source("b", Set.of(), others);
        pollUntil(
                () -> a.owned().size() == 2 && b.owned().size() == 2 && !a.isRebalancing() && !b.isRebalancing(), a, b);
        var owned = a.owned();
        var events = List.copyOf(others.events);
        a.close();
        assertThat(cluster.memberInstances(group())).containsExactlyInAnyOrder(name + ".a", name + ".b");
        drain(b, 10);

        var again = source("a", Set.of());
        pollUntil(() -> !again.owned().isEmpty(), again, b);

        assertThat(again.owned()).isEqualTo(owned);
        assertThat(others.events).isEqualTo(events);
    }

    @Test
    void theSecondOfOneInstanceFencesTheFirst() {
        createTopic(topic, 1);
        var first = join("a", Set.of(0));
        var member = first.member();
        var second = source("a", Set.of());
        pollUntil(() -> second.owned().size() == 1, second);
        var sink = open(cluster.openSink(name + ".tx"));
        sink.begin();
        sink.flush();

        assertThat(sink.commit(at(0, 3, ""), member)).isInstanceOf(CommitOutcome.NotCommitted.class);
    }

    @Test
    void aMemberThatHasTheFilesIsPreferred() {
        createTopic(topic, 4);
        var a = source("a", Set.of(1, 3));
        var b = source("b", Set.of(0, 2));
        pollUntil(
                () -> a.owned().size() == 2 && b.owned().size() == 2 && !a.isRebalancing() && !b.isRebalancing(), a, b);
        a.leave(LONG);
        pollUntil(() -> b.owned().size() == 4 && !b.isRebalancing(), b);
        var again = source("a", Set.of(1, 3));
        pollUntil(() -> again.owned().size() == 2 && b.owned().size() == 2, again, b);

        assertThat(partitions(again, topic)).containsExactly(1, 3);
    }

    @Test
    void aGroupWithoutMembersHasNoInstances() {
        assertThat(cluster.memberInstances(name + "-nobody")).isEmpty();
    }

    // ---- topics and offsets

    @Test
    void topicsAreDescribedAndAbsentOnesLeftOut() {
        createTopic(topic, 3);
        var described = cluster.describeTopics(List.of(topic, name + "-absent"));

        assertThat(described).containsOnlyKeys(topic);
        var description = requireNonNull(described.get(topic));
        assertThat(description.partitions()).isEqualTo(3);
        assertThat(description.topicId()).isNotBlank();
        assertThat(description.cleanup()).containsExactly(KafkaCluster.CleanupPolicy.DELETE);
        assertThat(cluster.clusterId()).isNotBlank();
    }

    @Test
    void offsetsAreFoundByBeginEndAndTime() {
        createTopic(topic, 2);
        for (int i = 0; i < 5; i++) {
            produce(in(0), new Output(topic, null, "v".getBytes(UTF_8), Headers.none(), 1_000 + i * 10));
        }
        trim(in(0), 1);
        var both = Set.of(in(0), in(1));

        assertThat(cluster.beginningOffsets(both)).isEqualTo(Map.of(in(0), 1L, in(1), 0L));
        assertThat(cluster.endOffsets(both)).isEqualTo(Map.of(in(0), 5L, in(1), 0L));
        assertThat(cluster.offsetsAt(both, 1_020)).isEqualTo(Map.of(in(0), 2L, in(1), 0L));
        assertThat(cluster.offsetsAt(both, 1_021)).isEqualTo(Map.of(in(0), 3L, in(1), 0L));
        assertThat(cluster.offsetsAt(both, 9_999)).isEqualTo(Map.of(in(0), 5L, in(1), 0L));
    }

    // ---- control topic

    @Test
    void controlRecordsComeBackInOrder() {
        var reader = open(cluster.openControlReader());
        assertThat(readControl(reader)).isEmpty();
        var worker = open(cluster.openControlWriter());
        var leader = open(cluster.openLeaderWriter());
        worker.append(List.of(registered("p/0")));
        leader.append(List.of(new ControlRecord.TaskAdmitted(new TaskId("p", 0), 0), abandoned(1)));
        worker.append(List.of(registered("p/1")));

        assertThat(readControl(reader).stream().map(ControlReader.Positioned::record))
                .containsExactly(
                        registered("p/0"),
                        new ControlRecord.TaskAdmitted(new TaskId("p", 0), 0),
                        abandoned(1),
                        registered("p/1"));
        assertThat(readControl(reader)).isEmpty();
    }

    @Test
    void aNewLeadersWriterFencesTheOlderOne() {
        var old = open(cluster.openLeaderWriter());
        old.append(List.of(abandoned(1)));
        var now = open(cluster.openLeaderWriter());

        assertThatThrownBy(() -> old.append(List.of(abandoned(2))))
                .isInstanceOfAny(FencedException.class, UnknownOutcomeException.class);
        now.append(List.of(abandoned(3)));
        assertThat(readControl(open(cluster.openControlReader())).stream().map(ControlReader.Positioned::record))
                .containsExactly(abandoned(1), abandoned(3));
    }

    @Test
    void aFullStateStandsForWhatIsBelowItAndOnlyForThat() {
        var worker = open(cluster.openControlWriter());
        var leader = open(cluster.openLeaderWriter());
        var follower = open(cluster.openControlReader());
        leader.append(List.of(started(1), started(2)));
        worker.append(List.of(registered("p/0")));
        var read = readControl(follower);
        var state = fold(read);
        long covers = read.get(read.size() - 1).offset() + 1;
        worker.append(List.of(registered("p/1")));
        leader.append(List.of(new ControlRecord.FullState(covers, state), abandoned(2)));
        var expected = state.after(registered("p/1")).after(abandoned(2));

        assertThat(fold(readControl(open(cluster.openControlReader())))).isEqualTo(expected);
        var rest = state;
        for (var positioned : readControl(follower)) {
            rest = rest.after(positioned.record());
        }
        assertThat(rest).isEqualTo(expected);

        cluster.trimControl(covers);
        assertThat(fold(readControl(open(cluster.openControlReader())))).isEqualTo(expected);
        worker.append(List.of(registered("p/2")));
        assertThat(fold(readControl(open(cluster.openControlReader())))).isEqualTo(expected.after(registered("p/2")));
    }

    @Test
    void aReaderWhoseRecordsWereTrimmedGoesOnFromTheFullState() {
        var leader = open(cluster.openLeaderWriter());
        leader.append(List.of(started(1)));
        var behind = open(cluster.openControlReader());
        var state = fold(readControl(behind));
        leader.append(List.of(started(2), abandoned(1)));
        var ahead = readControl(open(cluster.openControlReader()));
        var full = fold(ahead);
        long covers = ahead.get(ahead.size() - 1).offset() + 1;
        leader.append(List.of(new ControlRecord.FullState(covers, full), started(3)));
        cluster.trimControl(covers);

        for (var positioned : readControl(behind)) {
            state = state.after(positioned.record());
        }
        assertThat(state).isEqualTo(full.after(started(3)));
    }

    @Test
    void aTrimmedControlTopicWithoutAFullStateIsNotTakenForAnEmptyDomain() {
        var leader = open(cluster.openLeaderWriter());
        leader.append(List.of(started(1)));
        leader.append(List.of(started(2)));
        cluster.trimControl(2);
        var reader = open(cluster.openControlReader());

        assertThatThrownBy(() -> readControl(reader)).isInstanceOf(StoppedException.class);
    }

    // ---- leadership

    @Test
    void oneLeadsAndAnotherFollowsWhenItCloses() {
        var first = open(cluster.openLeadership());
        leadUntil(first::isLeader, first);
        var second = open(cluster.openLeadership());
        leadUntil(() -> first.isLeader() ^ second.isLeader(), first, second);
        var leader = first.isLeader() ? first : second;
        var other = first.isLeader() ? second : first;
        leader.close();

        assertThat(leader.isLeader()).isFalse();
        leadUntil(other::isLeader, other);
    }

    // ---- helpers

    protected final <T extends AutoCloseable> T open(T closeable) {
        opened.push(closeable);
        return closeable;
    }

    private String group() {
        return name + "-group";
    }

    private TopicPartition in(int partition) {
        return new TopicPartition(topic, partition);
    }

    private Map<TopicPartition, CommittedPosition> at(int partition, long offset, String metadata) {
        return Map.of(in(partition), new CommittedPosition(offset, metadata));
    }

    private static Output output(String topic, String key, String value) {
        return new Output(topic, key.getBytes(UTF_8), value.getBytes(UTF_8), Headers.none(), -1);
    }

    private CommitOutcome commit(Source source, Map<TopicPartition, CommittedPosition> positions) {
        var sink = open(cluster.openSink(name + ".commit"));
        sink.begin();
        sink.flush();
        return sink.commit(positions, source.member());
    }

    /** A member that owns these partitions of the topic, at their beginning and resumed. */
    private Source join(String instance, Set<Integer> partitions) {
        return join(instance, partitions, List.of(topic), group());
    }

    private Source join(String instance, Set<Integer> partitions, List<String> topics, String group) {
        var source = source(instance, Set.of(), new Recorder(), topics, group);
        var wanted = topics.stream()
                .flatMap(each -> partitions.stream().map(partition -> new TopicPartition(each, partition)))
                .collect(Collectors.toSet());
        pollUntil(() -> source.owned().equals(wanted), source);
        wanted.forEach(partition -> source.seek(partition, 0));
        source.resume(wanted);
        return source;
    }

    private Source source(String instance, Set<Integer> hint) {
        return source(instance, hint, new Recorder());
    }

    private Source source(String instance, Set<Integer> hint, PartitionListener listener) {
        return source(instance, hint, listener, List.of(topic), group());
    }

    private Source source(
            String instance, Set<Integer> hint, PartitionListener listener, List<String> topics, String group) {
        return open(cluster.openSource(new SourceSettings(group, name + "." + instance, topics, hint), listener));
    }

    private static void pollUntil(BooleanSupplier condition, Source... sources) {
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(1))
                .pollInSameThread()
                .until(() -> {
                    for (var source : sources) {
                        if (condition.getAsBoolean()) {
                            return true;
                        }
                        assertThat(source.poll(SHORT).stream().map(Records::size))
                                .doesNotContain(-1);
                    }
                    return condition.getAsBoolean();
                });
    }

    private static void leadUntil(BooleanSupplier condition, Leadership... all) {
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(1))
                .pollInSameThread()
                .until(() -> {
                    Arrays.stream(all).forEach(each -> each.poll(SHORT));
                    return condition.getAsBoolean();
                });
    }

    private static void eventually(BooleanSupplier condition) {
        await().atMost(LONG).pollInterval(SHORT).pollInSameThread().until(condition::getAsBoolean);
    }

    /** The values of the next records. */
    private static List<String> read(Source source, int count) {
        var values = new ArrayList<String>();
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(1))
                .pollInSameThread()
                .until(() -> {
                    values.addAll(values(source.poll(SHORT)));
                    return values.size() >= count;
                });
        return values;
    }

    private static List<String> drain(Source source, int polls) {
        var values = new ArrayList<String>();
        for (int i = 0; i < polls; i++) {
            values.addAll(values(source.poll(SHORT)));
        }
        return values;
    }

    private static List<String> values(List<Records> batches) {
        return batches.stream()
                .flatMap(batch -> IntStream.range(0, batch.size()).mapToObj(batch::value))
                .map(value -> value == null ? "null" : new String(value, UTF_8))
                .toList();
    }

    private static List<Long> offsets(List<Records> batches) {
        return batches.stream()
                .flatMap(batch -> IntStream.range(0, batch.size()).mapToObj(batch::offset))
                .toList();
    }

    private static Set<Integer> partitions(Source source, String topic) {
        return source.owned().stream()
                .filter(partition -> partition.topic().equals(topic))
                .map(TopicPartition::partition)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private List<String> texts(String topic) {
        return readCommitted(topic).stream().map(Seen::text).toList();
    }

    private static List<String> describe(Headers headers) {
        var all = new ArrayList<String>();
        headers.forEach(header -> all.add(header.name() + "=" + header.text()));
        return all;
    }

    private static List<ControlReader.Positioned> readControl(ControlReader reader) {
        var all = new ArrayList<ControlReader.Positioned>();
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(1))
                .pollInSameThread()
                .until(() -> {
                    all.addAll(reader.poll(SHORT));
                    return reader.isAtEnd();
                });
        return all;
    }

    private static DomainState fold(List<ControlReader.Positioned> records) {
        var state = DomainState.empty();
        for (var positioned : records) {
            state = state.after(positioned.record());
        }
        return state;
    }

    private static ControlRecord registered(String task) {
        return new ControlRecord.TaskRegistered(TaskId.parse(task), "d.p.i.0");
    }

    private static ControlRecord started(long id) {
        return new ControlRecord.CheckpointStarted(
                id, 1, 5, Set.of(new TopicPartition("t", 0)), Set.of(new TaskId("p", 0)));
    }

    private static ControlRecord abandoned(long id) {
        return id == 3
                ? new ControlRecord.CheckpointCompleted(id, new ManifestRef("m", "00"))
                : new ControlRecord.CheckpointAbandoned(id, "late");
    }

    /** Writes down what a listener is told. */
    private static final class Recorder implements PartitionListener {
        final List<String> events = new ArrayList<>();
        final Set<TopicPartition> revoked = new HashSet<>();
        final Set<TopicPartition> lost = new HashSet<>();
        java.util.function.Consumer<Set<TopicPartition>> onAssigned = partitions -> {};
        java.util.function.Consumer<Set<TopicPartition>> onRevoked = partitions -> {};

        @Override
        public void onAssigned(Set<TopicPartition> partitions) {
            new TreeSet<>(partitions).forEach(partition -> events.add("assigned " + partition));
            onAssigned.accept(partitions);
        }

        @Override
        public void onRevoked(Set<TopicPartition> partitions) {
            new TreeSet<>(partitions).forEach(partition -> events.add("revoked " + partition));
            revoked.addAll(partitions);
            onRevoked.accept(partitions);
        }

        @Override
        public void onLost(Set<TopicPartition> partitions) {
            new TreeSet<>(partitions).forEach(partition -> events.add("lost " + partition));
            lost.addAll(partitions);
        }
    }
}
