package dev.weir.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.DomainState;
import dev.weir.failure.TransientException;
import dev.weir.fault.Sequence.Item;
import dev.weir.fault.Sequence.Total;
import dev.weir.fixture.KafkaBroker;
import dev.weir.fixture.ProxiedBroker;
import dev.weir.kafka.ClientKafkaCluster;
import dev.weir.kafka.CommittedPosition;
import dev.weir.snapshot.CheckpointManifest;
import dev.weir.snapshot.FileSystemObjectStore;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.snapshot.ObjectStore;
import dev.weir.snapshot.Pointer;
import dev.weir.snapshot.SnapshotStore;
import dev.weir.time.Tokens;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * A domain of its own on a real broker, for one test: an input with items, services that keep a total per key, their object store, and
 * all that can be seen of it from outside. Closing it kills what is alive and deletes its topics and files. One thread uses it.
 */
final class Rig implements AutoCloseable {

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final KafkaBroker broker;
    private final Setup setup;
    private final String domain;
    private final Path folder;
    private final ObjectStore objects;
    private final Map<String, Service> services = new LinkedHashMap<>();
    private final Sequence sequence = new Sequence();
    private final Map<Integer, Long> lastSeq = new HashMap<>();
    private final SplittableRandom random = new SplittableRandom(1);
    private final Admin admin;
    private KafkaProducer<byte[], byte[]> producer;
    private final ClientKafkaCluster cluster;
    private final Committed log;
    private @Nullable ScheduledExecutorService trickle;

    private Rig(KafkaBroker broker, Setup setup, @Nullable ObjectStore store) {
        this.broker = broker;
        this.setup = setup;
        this.domain = "f" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet();
        try {
            this.folder = Files.createTempDirectory("weir-fault");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.objects = store == null ? FileSystemObjectStore.open(storeFolder()) : store;
        broker.createTopic(input(), setup.partitions);
        broker.createTopic(output(), setup.outputPartitions);
        this.admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
        this.producer = newProducer();
        this.cluster = new ClientKafkaCluster(setup.cluster(domain, broker.bootstrapServers()));
        this.log = new Committed(broker.bootstrapServers(), admin);
    }

    /** On the shared broker, with a store in a folder. */
    static Rig create() {
        return create(setup -> {});
    }

    /** The same with other settings. */
    static Rig create(Consumer<Setup> change) {
        return on(KafkaBroker.shared(), change, null);
    }

    /** With services that reach their broker through the {@link ProxiedBroker#shared() shared proxy}; what the rig asks goes past it. */
    static Rig behindProxy(Consumer<Setup> change) {
        var shared = ProxiedBroker.shared();
        return on(
                shared.broker(),
                setup -> {
                    setup.address = shared.proxy().bootstrapServers();
                    change.accept(setup);
                },
                null);
    }

    /** On another broker; with another store unless that is null. The broker and the store stay the caller's to close. */
    static Rig on(KafkaBroker broker, Consumer<Setup> change, @Nullable ObjectStore store) {
        var setup = new Setup();
        change.accept(setup);
        return new Rig(broker, setup, store);
    }

    String domain() {
        return domain;
    }

    KafkaBroker broker() {
        return broker;
    }

    String input() {
        return domain + ".in";
    }

    String output() {
        return domain + ".out";
    }

    String group() {
        return domain + "." + Totals.NAME;
    }

    String controlTopic() {
        return "weir." + domain + ".control";
    }

    /** The group in which the leading coordinator is elected. */
    String electionGroup() {
        return "weir." + domain + ".coordinator";
    }

    int partitions() {
        return setup.partitions;
    }

    TopicPartition in(int partition) {
        return new TopicPartition(input(), partition);
    }

    /** The store as it is, without any fault. */
    ObjectStore objects() {
        return objects;
    }

    /** Where the store's objects are, an object's name being its path, unless another store was given. */
    Path storeFolder() {
        return folder.resolve("store");
    }

    Admin admin() {
        return admin;
    }

    /** The cluster as the services see it, without any fault. */
    ClientKafkaCluster cluster() {
        return cluster;
    }

    Sequence sequence() {
        return sequence;
    }

    /** The service of this instance id; made, with a copy of the rig's set-up, when it is first asked for. */
    Service service(String name) {
        return services.computeIfAbsent(name, n -> new Service(this, n, setup.copy(), folder.resolve("disk-" + n)));
    }

    /** Writes so many items, in random partitions. */
    synchronized void produce(int items) {
        var chosen = new ArrayList<Integer>(items);
        for (int i = 0; i < items; i++) {
            chosen.add(random.nextInt(setup.partitions));
        }
        write(chosen);
    }

    /** Writes so many items into one partition. */
    synchronized void produce(int partition, int items) {
        var chosen = new ArrayList<Integer>(items);
        for (int i = 0; i < items; i++) {
            chosen.add(partition);
        }
        write(chosen);
    }

    private KafkaProducer<byte[], byte[]> newProducer() {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", broker.bootstrapServers(),
                        "request.timeout.ms", 5_000,
                        "delivery.timeout.ms", 20_000),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** Deletes the input topic and creates one of the same name. What was written into it stays in the sequence. */
    synchronized void recreateInput() {
        // Its sequence numbers are of the old topic.
        producer.close();
        get(admin.deleteTopics(Set.of(input())).all());
        await("the topic is gone", () -> !get(admin.listTopics().names()).contains(input()));
        broker.createTopic(input(), setup.partitions);
        producer = newProducer();
    }

    private void write(List<Integer> chosen) {
        var sent = new ArrayList<Sent>(chosen.size());
        for (int partition : chosen) {
            long seq = lastSeq.merge(partition, 1L, Long::sum);
            var key = "p" + partition + "k" + random.nextInt(setup.keysPerPartition);
            var item = new Item(partition, seq, key, random.nextLong(-1_000, 1_000));
            sent.add(new Sent(
                    item, producer.send(new ProducerRecord<>(input(), partition, key.getBytes(UTF_8), item.bytes()))));
        }
        producer.flush();
        sent.forEach(each -> sequence.add(each.item(), get(each.answer()).offset()));
    }

    private record Sent(Item item, Future<RecordMetadata> answer) {}

    /**
     * Has somebody else begin a transaction with one record in a partition of the input, which is not an item: readers of committed
     * records do not get past it until what is returned is closed, which aborts it.
     */
    AutoCloseable openTransaction(int partition) {
        var foreign = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrapServers(),
                        "transactional.id",
                        domain + "-somebody-else",
                        "transaction.timeout.ms",
                        600_000),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        foreign.initTransactions();
        foreign.beginTransaction();
        get(foreign.send(new ProducerRecord<>(input(), partition, new byte[] {1}, new byte[] {1})));
        return () -> {
            foreign.abortTransaction();
            foreign.close();
        };
    }

    /** Writes a few items every so often from now on, until {@link #stopTrickle}. */
    void startTrickle(int items, Duration every) {
        var executor = Executors.newSingleThreadScheduledExecutor();
        trickle = executor;
        var unused = executor.scheduleAtFixedRate(() -> produce(items), 0, every.toMillis(), TimeUnit.MILLISECONDS);
    }

    void stopTrickle() {
        if (trickle != null) {
            trickle.shutdown();
            try {
                if (!trickle.awaitTermination(20, TimeUnit.SECONDS)) {
                    throw new AssertionError("The trickle of items does not end");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            trickle = null;
        }
    }

    /** Waits for something to become true. */
    void await(String what, BooleanSupplier condition) {
        await(what, setup.patience, condition);
    }

    /** Waits for something to become true, not longer than so. */
    void await(String what, Duration atMost, BooleanSupplier condition) {
        try {
            Awaitility.await()
                    .pollInterval(Duration.ofMillis(20))
                    // A broker that is away or waits for a transaction cannot say yet.
                    .ignoreExceptionsInstanceOf(TransientException.class)
                    .atMost(atMost)
                    .until(condition::getAsBoolean);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("Waited in vain for this: " + what + "\n" + describe(), e);
        }
    }

    /** Waits until everything that has been written so far is processed and committed. */
    void awaitCaughtUp() {
        await("all items processed", () -> {
            var positions = positions();
            return sequence.partitions().stream().allMatch(p -> positions.getOrDefault(p, 0L) >= sequence.end(p));
        });
    }

    /** Waits until a checkpoint that was started after this call is complete; returns its id. */
    long awaitNextCheckpoint() {
        long before = domainState().highestStarted();
        await("a checkpoint above " + before, () -> highestComplete() > before);
        return highestComplete();
    }

    /** Ends what is still being written, waits until all is processed and another checkpoint is complete, and checks everything. */
    void finish() {
        stopTrickle();
        awaitCaughtUp();
        awaitNextCheckpoint();
        check();
    }

    /** Checks outputs against positions and input, every decision about checkpoints, and the states in the newest ones. All must be quiet. */
    void check() {
        OutputCheck.check(sequence, positions(), outputs());
        checkDecisions();
        new CheckpointCheck(this, folder).checkNewest(3);
    }

    /** Checks the states in a complete checkpoint against the items before its positions (I6). */
    void checkStates(CheckpointManifest checkpoint) {
        new CheckpointCheck(this, folder).checkStates(checkpoint);
    }

    /** No id is both complete and abandoned, ids are never used again, and the store and the control topic say the same. */
    void checkDecisions() {
        // First what is said, then what it is said of: the domain goes on meanwhile.
        var control = control();
        CheckpointCheck.checkDecisions(control, checkpoints());
    }

    /**
     * The visible outputs, each output partition in its order. Waits until no transaction is open in any of them, at most as long as
     * the brokers let one be (I4).
     */
    List<List<Total>> outputs() {
        var topic = output();
        await("no open transaction in the output", setup.transactionTimeout.plusSeconds(12), () -> log.stableEnds(topic)
                .equals(log.ends(topic)));
        return log.read(topic).stream()
                .map(records -> records.stream()
                        .map(record -> Total.parse(record.value()))
                        .toList())
                .toList();
    }

    /** Ends, and committed records, of any topic. */
    Committed log() {
        return log;
    }

    /** The committed position of each input partition that has one. */
    Map<Integer, Long> positions() {
        var positions = new TreeMap<Integer, Long>();
        committed().forEach((partition, at) -> positions.put(partition, at.offset()));
        return positions;
    }

    /** A partition's committed position, 0 if it has none. */
    long position(int partition) {
        return positions().getOrDefault(partition, 0L);
    }

    /** What the group has committed for each input partition that has a position. */
    Map<Integer, CommittedPosition> committed() {
        var asked = new HashSet<TopicPartition>();
        for (int i = 0; i < setup.partitions; i++) {
            asked.add(in(i));
        }
        var committed = new TreeMap<Integer, CommittedPosition>();
        cluster.committed(group(), asked).forEach((partition, at) -> committed.put(partition.partition(), at));
        return committed;
    }

    /** The pointer beside a partition's committed position. */
    Pointer pointer(int partition) {
        var position = committed().get(partition);
        if (position == null) {
            throw new AssertionError("Partition " + partition + " has no committed position");
        }
        return Pointer.decode(domain, position.metadata());
    }

    /** What a partition's pointer leads to. */
    TaskSnapshot snapshot(int partition) {
        var snapshot = snapshots().readManifest(pointer(partition).manifest()).task(new TaskId(Totals.NAME, partition));
        if (snapshot == null) {
            throw new AssertionError("The pointer of partition " + partition + " leads to nothing");
        }
        return snapshot;
    }

    SnapshotStore snapshots() {
        return new SnapshotStore(objects, domain, Tokens.secure());
    }

    /** All decided checkpoints in the store, by id. */
    Map<Long, CheckpointManifest> checkpoints() {
        var snapshots = snapshots();
        var all = new TreeMap<Long, CheckpointManifest>();
        for (long id : snapshots.newestCheckpoints(Long.MAX_VALUE, 100_000)) {
            snapshots.readCheckpoint(id).ifPresent(checkpoint -> all.put(id, checkpoint));
        }
        return all;
    }

    /** A checkpoint that has been decided. */
    CheckpointManifest checkpoint(long id) {
        return snapshots()
                .readCheckpoint(id)
                .orElseThrow(() -> new AssertionError("Checkpoint " + id + " is not decided"));
    }

    /** The newest complete checkpoint's id, 0 if there is none. */
    long highestComplete() {
        return snapshots().newestComplete().map(CheckpointManifest::checkpoint).orElse(0L);
    }

    /** All records of the control topic from the newest full state that is needed. Waits for transactions that are open in it. */
    List<ControlRecord> control() {
        try (var reader = cluster.openControlReader()) {
            var records = new ArrayList<ControlRecord>();
            long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            while (!reader.isAtEnd()) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("The control topic cannot be read to its end, after " + records.size()
                            + " records: stable to " + log.stableEnds(controlTopic()) + " of "
                            + log.ends(controlTopic()) + "\n" + describeServices());
                }
                reader.poll(Duration.ofMillis(20)).forEach(positioned -> records.add(positioned.record()));
            }
            return records;
        }
    }

    /** What the control topic says. */
    DomainState domainState() {
        var state = DomainState.empty();
        for (var record : control()) {
            state = state.after(record);
        }
        return state;
    }

    /** Throws all members out of a group, as its session timeout would do with those that are dead; the living join again at once. */
    void expelMembers(String ofGroup) {
        get(admin.removeMembersFromConsumerGroup(ofGroup, new RemoveMembersFromConsumerGroupOptions())
                .all());
    }

    /** The answer, or an error that says what was wrong. */
    static <T> T get(Future<T> answer) {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        } catch (ExecutionException e) {
            throw new AssertionError("Kafka refused: " + e.getCause(), e);
        }
    }

    private String positionsIfKnown() {
        try {
            return positions().toString();
        } catch (TransientException e) {
            return "unknown: " + e.getMessage();
        }
    }

    private String describeServices() {
        return services.values().stream()
                .filter(Service::isAlive)
                .map(service -> service.name() + " " + service.status() + " leads " + service.leads() + ", failed by "
                        + service.failure())
                .collect(Collectors.joining("\n"));
    }

    private String describe() {
        var lines = new ArrayList<String>();
        lines.add(describeServices());
        lines.add("positions " + positionsIfKnown() + ", items end at "
                + sequence.partitions().stream().map(sequence::end).toList());
        var control = control();
        lines.add("highest complete " + highestComplete() + ", control topic ends with "
                + control.subList(Math.max(0, control.size() - 6), control.size()));
        return String.join("\n", lines);
    }

    @Override
    public void close() throws IOException {
        stopTrickle();
        services.values().stream().filter(Service::isAlive).forEach(Service::kill);
        var topics = Set.of(input(), output(), controlTopic());
        admin.deleteTopics(topics);
        log.close();
        producer.close();
        cluster.close();
        admin.close();
        FileSystemUtils.deleteRecursively(folder);
    }
}
