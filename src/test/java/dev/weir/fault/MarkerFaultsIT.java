package dev.weir.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.barrier.ManifestRef;
import dev.weir.barrier.Marker;
import dev.weir.barrier.MarkerCodec;
import dev.weir.coordinator.CoordinatorSettings.MarkerMode;
import dev.weir.fixture.ForwardingCluster;
import dev.weir.kafka.KafkaCluster;
import dev.weir.kafka.MarkerWriter;
import dev.weir.snapshot.CheckpointManifest;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.snapshot.Manifest;
import dev.weir.snapshot.ObjectStore.Listed;
import dev.weir.snapshot.StoreLayout;
import dev.weir.topology.TopicPartition;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Markers that are there too often, or not at all, or too late. */
class MarkerFaultsIT {

    /** Writes every marker twice. */
    private static final class Twice extends ForwardingCluster {

        private final AtomicInteger doubled;

        Twice(KafkaCluster real, AtomicInteger doubled) {
            super(real);
            this.doubled = doubled;
        }

        @Override
        public MarkerWriter openMarkerWriter() {
            var writer = real.openMarkerWriter();
            return new MarkerWriter() {
                @Override
                public Map<TopicPartition, Long> write(Marker marker, Set<TopicPartition> partitions) {
                    var first = writer.write(marker, partitions);
                    writer.write(marker, partitions);
                    doubled.incrementAndGet();
                    return first;
                }

                @Override
                public void close() {
                    writer.close();
                }
            };
        }
    }

    @Test
    @DisplayName("replayed-marker-ignored (R39, R44, I5, I8): old, doubled and foreign markers cut nothing")
    void replayedMarkerIgnored() throws Exception {
        var doubled = new AtomicInteger();
        try (var rig = Rig.create()) {
            rig.service("a").withCluster(real -> new Twice(real, doubled)).run();
            rig.produce(50);
            rig.awaitNextCheckpoint();
            long last = rig.awaitNextCheckpoint();
            var cluster = rig.cluster().clusterId();
            var foreign = List.of(
                    new Marker(rig.domain(), cluster, 1, last),
                    new Marker(rig.domain(), cluster, 1, 1),
                    new Marker("other", cluster, 1, last + 1_000),
                    new Marker(rig.domain(), "another-cluster", 1, last + 1_000),
                    new Marker(rig.domain(), cluster, 2, last + 1_000));
            var written = new HashMap<Integer, Long>();
            for (var marker : foreign) {
                written.put(0, write(rig, 0, MarkerCodec.encode(marker)));
                written.put(1, write(rig, 1, MarkerCodec.encode(marker)));
                rig.produce(10);
            }
            written.put(0, write(rig, 0, new byte[] {99, 1}));
            rig.produce(0, 10);
            rig.produce(1, 10);
            rig.finish();

            assertThat(doubled.get()).isGreaterThan(2);
            assertThat(rig.positions())
                    .allSatisfy((partition, position) -> assertThat(position).isGreaterThan(written.get(partition)));
            assertThat(rig.domainState().highestStarted()).isLessThan(last + 1_000);
            var cuts = cuts(rig);
            assertThat(cuts).hasSizeGreaterThan(3).allSatisfy((cut, epochs) -> assertThat(epochs)
                    .as("epochs of cut " + cut)
                    .hasSize(1));
            assertThat(rig.checkpoints().values())
                    .filteredOn(checkpoint -> checkpoint.checkpoint() > last)
                    .isNotEmpty()
                    .allMatch(checkpoint -> checkpoint.outcome() == Outcome.COMPLETE);
        }
    }

    private static long write(Rig rig, int partition, byte[] header) {
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", rig.broker().bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            var headers = new RecordHeaders().add(MarkerCodec.HEADER, header);
            return Rig.get(producer.send(new ProducerRecord<>(
                            rig.input(), partition, MarkerCodec.key(), MarkerCodec.value(), headers)))
                    .offset();
        }
    }

    /** For each task and checkpoint the task's epochs at which it was cut, from all manifests ever written. */
    private static Map<String, Set<Long>> cuts(Rig rig) {
        var names = new ArrayList<Listed>();
        rig.objects().list(new StoreLayout(rig.domain()).manifests(), names::add);
        var cuts = new TreeMap<String, Set<Long>>();
        for (var listed : names) {
            var manifest = rig.snapshots()
                    .readManifest(
                            new ManifestRef(listed.name(), sha256(rig.objects().get(listed.name()))));
            for (Manifest.TaskSnapshot task : manifest.tasks()) {
                var cut = task.lastCut();
                if (cut.checkpoint() > 0) {
                    cuts.computeIfAbsent(task.task() + "@" + cut.checkpoint(), c -> new java.util.TreeSet<>())
                            .add(cut.epoch());
                }
            }
        }
        return cuts;
    }

    private static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Never writes a marker into one partition, and says that it did. */
    private static final class Forgetful extends ForwardingCluster {

        private final TopicPartition forgotten;

        Forgetful(KafkaCluster real, TopicPartition forgotten) {
            super(real);
            this.forgotten = forgotten;
        }

        @Override
        public MarkerWriter openMarkerWriter() {
            var writer = real.openMarkerWriter();
            return new MarkerWriter() {
                @Override
                public Map<TopicPartition, Long> write(Marker marker, Set<TopicPartition> partitions) {
                    var rest = new java.util.HashSet<>(partitions);
                    rest.remove(forgotten);
                    var offsets = new HashMap<>(writer.write(marker, rest));
                    offsets.putAll(real.endOffsets(Set.of(forgotten)));
                    return offsets;
                }

                @Override
                public void close() {
                    writer.close();
                }
            };
        }
    }

    @Test
    @DisplayName("marker-gone (R42, I5): a position at or past the published offset counts as the marker")
    void markerGone() throws Exception {
        try (var rig = Rig.create(setup -> setup.alignmentTimeout = Duration.ofSeconds(3))) {
            var a = rig.service("a")
                    .withCluster(real -> new Forgetful(real, rig.in(1)))
                    .run();
            rig.startTrickle(3, Duration.ofMillis(20));
            // A task that does not move yet cuts where it stands, without waiting.
            rig.await("both tasks run", () -> a.running().size() == 2);
            long from = rig.domainState().highestStarted();
            rig.awaitNextCheckpoint();
            rig.awaitNextCheckpoint();
            rig.finish();
            assertThat(rig.log().ends(rig.input()).get(1))
                    .as("no marker was ever written into partition 1")
                    .isEqualTo(rig.sequence().totals(1, Long.MAX_VALUE).size());
            assertThat(complete(rig).stream()
                            .filter(checkpoint -> checkpoint.checkpoint() > from)
                            .toList())
                    .hasSizeGreaterThan(2)
                    .allSatisfy(checkpoint -> assertThat(cutsOf(rig, checkpoint))
                            .allMatch(task -> task.lastCut().aligned()));
            a.stop();

            // And now all markers there ever were, together with what is processed.
            var ends = rig.positions();
            var below = new HashMap<org.apache.kafka.common.TopicPartition, RecordsToDelete>();
            ends.forEach((partition, position) -> below.put(
                    new org.apache.kafka.common.TopicPartition(rig.input(), partition),
                    RecordsToDelete.beforeOffset(position)));
            Rig.get(rig.admin().deleteRecords(below).all());
            assertThat(rig.log().begins(rig.input())).isEqualTo(ends);
            a.run();
            rig.produce(40);
            rig.finish();
        }
    }

    private static List<CheckpointManifest> complete(Rig rig) {
        return rig.checkpoints().values().stream()
                .filter(checkpoint -> checkpoint.outcome() == Outcome.COMPLETE)
                .toList();
    }

    private static List<Manifest.TaskSnapshot> cutsOf(Rig rig, CheckpointManifest checkpoint) {
        return checkpoint.cuts().stream()
                .map(cut -> rig.snapshots().readManifest(cut.manifest()).task(cut.task()))
                .toList();
    }

    @Test
    @DisplayName("by-offset-ahead (R43, I5): a worker that is past the published offset cuts where it is")
    void byOffsetAhead() throws Exception {
        try (var rig = Rig.create(setup -> {
            setup.markers = MarkerMode.BY_OFFSET;
            setup.alignmentTimeout = Duration.ofSeconds(3);
        })) {
            var worker = rig.service("worker").withoutCoordinator();
            var ahead = new AtomicInteger();
            var leader = rig.service("leader").withoutWorkers().withCluster(real -> new ForwardingCluster(real) {
                @Override
                public Map<TopicPartition, Long> endOffsets(Set<TopicPartition> partitions) {
                    var ends = real.endOffsets(partitions);
                    if (worker.running().size() == 2 && ahead.incrementAndGet() <= 3) {
                        long before = worker.events().records.get();
                        rig.produce(0, 10);
                        rig.produce(1, 10);
                        rig.await(
                                "the worker is ahead",
                                () -> worker.events().records.get() >= before + 20);
                    }
                    return ends;
                }
            });
            rig.produce(20);
            worker.run();
            leader.run();
            rig.await("three checkpoints behind the worker", () -> ahead.get() > 3);
            rig.finish();

            assertThat(rig.log().ends(rig.input())).allSatisfy((partition, end) -> assertThat(end)
                    .as("nothing but items is in partition " + partition)
                    .isEqualTo(rig.sequence().end(partition)));
            var past = complete(rig).stream()
                    .filter(checkpoint -> cutsOf(rig, checkpoint).stream()
                            .anyMatch(task -> task.lastCut().aligned()
                                    && task.positions().entrySet().stream()
                                            .anyMatch(at -> at.getValue()
                                                    > checkpoint.markers().getOrDefault(at.getKey(), Long.MAX_VALUE))))
                    .toList();
            assertThat(past).as("checkpoints cut past the barrier").isNotEmpty();
        }
    }

    @Test
    @DisplayName("backlog-start (I5, I6, I11): checkpoints complete all the way through a backlog, by the timeout")
    void backlogStart() throws Exception {
        try (var rig = Rig.create(setup -> setup.alignmentTimeout = Duration.ofMillis(150))) {
            rig.produce(20_000);
            var a = rig.service("a")
                    .beforeItem(item -> LockSupport.parkNanos(100_000))
                    .run();
            var behind = new ArrayList<Long>();
            rig.await("five checkpoints or the end of the backlog", Duration.ofSeconds(30), () -> {
                long id = rig.highestComplete();
                if (a.events().records.get() < 19_000 && id > 0 && !behind.contains(id)) {
                    behind.add(id);
                }
                return behind.size() >= 5;
            });
            var early = complete(rig).stream()
                    .flatMap(checkpoint -> cutsOf(rig, checkpoint).stream())
                    .filter(task -> !task.lastCut().aligned())
                    .toList();
            assertThat(early).as("cuts before the marker").hasSizeGreaterThan(3);
            rig.await(
                    "the backlog is gone",
                    Duration.ofSeconds(40),
                    () -> a.events().records.get() >= 20_000);
            rig.finish();
        }
    }

    @Test
    @DisplayName("empty-partition (R11, I5): partitions without a record get barriers like the others")
    void emptyPartition() throws Exception {
        try (var rig = Rig.create(setup -> {
            setup.partitions = 4;
            setup.alignmentTimeout = Duration.ofSeconds(3);
        })) {
            rig.produce(2, 30);
            var a = rig.service("a").run();
            var b = rig.service("b").run();
            rig.await(
                    "all tasks run",
                    () -> a.running().size() == 2 && b.running().size() == 2);
            long from = rig.domainState().highestStarted();
            rig.produce(2, 30);
            rig.finish();
            assertThat(rig.sequence().partitions()).containsExactly(2);
            var whole = complete(rig).stream()
                    .filter(checkpoint -> checkpoint.checkpoint() > from)
                    .toList();
            assertThat(whole).isNotEmpty().allSatisfy(checkpoint -> {
                assertThat(checkpoint.markers()).hasSize(4);
                assertThat(checkpoint.cuts()).hasSize(4);
                assertThat(cutsOf(rig, checkpoint))
                        .allMatch(task -> task.lastCut().aligned());
            });
        }
    }
}
