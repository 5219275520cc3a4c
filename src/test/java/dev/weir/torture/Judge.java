package dev.weir.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.barrier.ControlCodec;
import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.DomainState.OpenCheckpoint;
import dev.weir.barrier.MarkerCodec;
import dev.weir.barrier.TaskCut;
import dev.weir.snapshot.CheckpointManifest;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.snapshot.CheckpointVerifier;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.snapshot.ObjectStore;
import dev.weir.snapshot.Restorer;
import dev.weir.snapshot.SnapshotStore;
import dev.weir.snapshot.Transfers;
import dev.weir.state.DeltaCodec;
import dev.weir.state.StorageKeys;
import dev.weir.state.rocks.RocksSettings;
import dev.weir.state.rocks.RocksStateBackend;
import dev.weir.time.Tokens;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Looks at a domain from outside: its topics, its positions and its object store. One thread uses it. */
final class Judge implements AutoCloseable {

    private final String bootstrap;
    private final String domain;
    private final int partitions;
    private final Path folder;
    private final Admin admin;
    private final SnapshotStore snapshots;
    private int restored;

    Judge(String bootstrap, String domain, int partitions, Path folder, ObjectStore objects) {
        this.bootstrap = bootstrap;
        this.domain = domain;
        this.partitions = partitions;
        this.folder = folder;
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
        this.snapshots = new SnapshotStore(objects, domain, Tokens.secure());
    }

    Admin admin() {
        return admin;
    }

    String group() {
        return domain + "." + Ledger.NAME;
    }

    /** The instances that are members of the group, and the partitions of each. */
    Map<String, List<Integer>> members() throws Exception {
        var described = admin.describeConsumerGroups(List.of(group())).all().get();
        var members = new TreeMap<String, List<Integer>>();
        Objects.requireNonNull(described.get(group()))
                .members()
                .forEach(member -> members.put(
                        member.groupInstanceId().orElse(""),
                        member.assignment().topicPartitions().stream()
                                .map(partition -> partition.partition())
                                .sorted()
                                .toList()));
        return members;
    }

    Map<Integer, Long> committed() throws Exception {
        var positions = new TreeMap<Integer, Long>();
        admin.listConsumerGroupOffsets(group())
                .partitionsToOffsetAndMetadata()
                .get()
                .forEach((partition, position) -> positions.put(partition.partition(), position.offset()));
        return positions;
    }

    /** Where each partition of a topic ends for a reader of that isolation. */
    Map<Integer, Long> ends(String topic, int number, IsolationLevel isolation) throws Exception {
        var asked = Observer.partitions(topic, number).stream()
                .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest()));
        var ends = new TreeMap<Integer, Long>();
        admin.listOffsets(asked, new ListOffsetsOptions(isolation))
                .all()
                .get()
                .forEach((partition, end) -> ends.put(partition.partition(), end.offset()));
        return ends;
    }

    /** The input as it stands in its topic, and how much of it there is. */
    Oracle oracle() throws Exception {
        var input = new ArrayList<List<Oracle.Placed>>();
        for (var records : read(Ledger.INPUT, partitions)) {
            input.add(records.stream()
                    .filter(record -> record.headers().lastHeader(MarkerCodec.HEADER) == null)
                    .map(record -> new Oracle.Placed(record.offset(), Item.parse(new String(record.value(), UTF_8))))
                    .toList());
        }
        return new Oracle(input);
    }

    /** The outputs that a reader of committed records sees. */
    List<List<Observer.Seen>> outputs() throws Exception {
        return read(Ledger.OUTPUT, partitions).stream()
                .map(records -> records.stream()
                        .map(record -> new Observer.Seen(
                                record.offset(), new String(record.key(), UTF_8), new String(record.value(), UTF_8)))
                        .toList())
                .toList();
    }

    private List<List<ConsumerRecord<byte[], byte[]>>> read(String topic, int number) throws Exception {
        var ends = ends(topic, number, IsolationLevel.READ_COMMITTED);
        var all = Observer.partitions(topic, number);
        var records = new ArrayList<List<ConsumerRecord<byte[], byte[]>>>();
        all.forEach(partition -> records.add(new ArrayList<>()));
        try (var consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "isolation.level",
                        "read_committed",
                        "enable.auto.commit",
                        "false",
                        "max.poll.records",
                        5_000),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(all);
            consumer.seekToBeginning(all);
            while (all.stream().anyMatch(each -> consumer.position(each) < ends.getOrDefault(each.partition(), 0L))) {
                consumer.poll(Duration.ofMillis(50))
                        .forEach(record -> records.get(record.partition()).add(record));
            }
        }
        return records;
    }

    /** What is decided about checkpoints, by id. */
    Map<Long, CheckpointManifest> checkpoints() {
        var all = new TreeMap<Long, CheckpointManifest>();
        snapshots
                .newestCheckpoints(Long.MAX_VALUE, 1_000_000)
                .forEach(id -> snapshots.readCheckpoint(id).ifPresent(found -> all.put(id, found)));
        return all;
    }

    /** The newest complete checkpoint, 0 if there is none. */
    long newestComplete() {
        return snapshots.newestComplete().map(CheckpointManifest::checkpoint).orElse(0L);
    }

    /** Judges all that has been decided: the control topic beside the store, each cut, and the state of the newest two and a third. */
    List<String> judgeCheckpoints(Oracle oracle, long seed) throws Exception {
        var all = checkpoints();
        var outcomes = new TreeMap<Long, Outcome>();
        all.forEach((id, checkpoint) -> outcomes.put(id, checkpoint.outcome()));
        var wrong = new ArrayList<>(Checkers.decisions(control(), outcomes));
        var complete = all.values().stream()
                .filter(checkpoint -> checkpoint.outcome() == Outcome.COMPLETE)
                .toList();
        complete.forEach(checkpoint -> wrong.addAll(verify(checkpoint)));
        var chosen = new HashSet<Integer>();
        chosen.add(complete.size() - 1);
        chosen.add(complete.size() - 2);
        chosen.add((int) Math.floorMod(seed, (long) Math.max(1, complete.size())));
        for (int index : chosen) {
            if (index >= 0 && index < complete.size()) {
                wrong.addAll(restore(oracle, complete.get(index)));
            }
        }
        if (complete.isEmpty() || complete.get(complete.size() - 1).cuts().size() != partitions) {
            wrong.add("I11: the newest complete checkpoint does not hold all tasks");
        }
        return wrong;
    }

    private List<ControlRecord> control() throws Exception {
        var records = new ArrayList<ControlRecord>();
        for (var record : read("weir." + domain + ".control", 1).get(0)) {
            var decoded = ControlCodec.decode(record.value());
            if (decoded != null) {
                records.add(decoded);
            }
        }
        return records;
    }

    private List<String> verify(CheckpointManifest checkpoint) {
        var sources = new HashSet<TopicPartition>();
        for (int partition = 0; partition < partitions; partition++) {
            sources.add(new TopicPartition(Ledger.INPUT, partition));
        }
        var acknowledged = new HashMap<TaskId, TaskCut>();
        checkpoint.cuts().forEach(cut -> acknowledged.put(cut.task(), cut));
        var manifests = snapshots.readManifests(
                checkpoint.cuts().stream().map(TaskCut::manifest).toList());
        return new CheckpointVerifier(
                        domain,
                        checkpoint.incarnation(),
                        checkpoint.lineage(),
                        Map.of(Ledger.NAME, Set.of(Ledger.INPUT)))
                        .verify(
                                new OpenCheckpoint(
                                        checkpoint.checkpoint(),
                                        checkpoint.startedAtMillis(),
                                        sources,
                                        acknowledged.keySet(),
                                        checkpoint.markers(),
                                        acknowledged),
                                manifests)
                        .findings()
                        .stream()
                        .map(finding -> "I5: " + finding)
                        .toList();
    }

    private List<String> restore(Oracle oracle, CheckpointManifest checkpoint) {
        var wrong = new ArrayList<String>();
        for (var cut : checkpoint.cuts()) {
            var snapshot = Objects.requireNonNull(
                    snapshots.readManifest(cut.manifest()).task(cut.task()));
            long position = snapshot.positions()
                    .getOrDefault(new TopicPartition(Ledger.INPUT, cut.task().partition()), 0L);
            wrong.addAll(Checkers.state(
                    "checkpoint " + checkpoint.checkpoint() + ", task " + cut.task(),
                    oracle,
                    cut.task().partition(),
                    position,
                    accounts(snapshot)));
        }
        return wrong;
    }

    private Map<String, Account> accounts(TaskSnapshot snapshot) {
        var accounts = new TreeMap<String, Account>();
        if (snapshot.states().isEmpty()) {
            return accounts;
        }
        int number = snapshot.states().get(0).number();
        var disk = folder.resolve("restored-" + ++restored);
        try (var backend = new RocksStateBackend(disk, new RocksSettings(16 << 20, 4 << 20, 64));
                var store = new Restorer(snapshots, backend, DeltaCodec::decode, Transfers.sequential())
                        .restore(snapshot, "none", () -> false, Restorer.Progress.NONE)
                        .store()) {
            store.scan(StorageKeys.statePrefix(number), (key, value) -> {
                accounts.put(new String(StorageKeys.keyOfValue(key), UTF_8), Account.parse(new String(value, UTF_8)));
                return true;
            });
        }
        return accounts;
    }

    @Override
    public void close() {
        admin.close();
    }
}
