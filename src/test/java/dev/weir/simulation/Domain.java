package dev.weir.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.api.Message;
import dev.weir.api.Processor;
import dev.weir.api.ProcessorContext;
import dev.weir.api.ValueState;
import dev.weir.barrier.ControlRecord;
import dev.weir.codec.MessageCodec;
import dev.weir.codec.StateCodec;
import dev.weir.coordinator.CheckpointListener;
import dev.weir.coordinator.Coordinator;
import dev.weir.coordinator.CoordinatorSettings;
import dev.weir.coordinator.CoordinatorSettings.MarkerMode;
import dev.weir.coordinator.CoordinatorSettings.SourceTopic;
import dev.weir.kafka.ControlReader;
import dev.weir.kafka.KafkaCluster;
import dev.weir.simulation.Workload.Item;
import dev.weir.simulation.Workload.Total;
import dev.weir.snapshot.BaseUploader;
import dev.weir.snapshot.CheckpointManifest;
import dev.weir.snapshot.InMemoryObjectStore;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.snapshot.Restorer;
import dev.weir.snapshot.SnapshotStore;
import dev.weir.snapshot.Transfers;
import dev.weir.state.DeltaCodec;
import dev.weir.state.InMemoryStateBackend;
import dev.weir.state.StateBackend;
import dev.weir.state.StorageKeys;
import dev.weir.status.ThreadStatus.Phase;
import dev.weir.testkit.FaultPlan;
import dev.weir.testkit.InMemoryKafka.StoredRecord;
import dev.weir.testkit.SimulatedProcess;
import dev.weir.testkit.Simulation;
import dev.weir.time.Tokens;
import dev.weir.topology.ProcessorSpec;
import dev.weir.topology.TopicPartition;
import dev.weir.worker.BoundProcessor;
import dev.weir.worker.ControlFeed;
import dev.weir.worker.WorkerListener;
import dev.weir.worker.WorkerResources;
import dev.weir.worker.WorkerSettings;
import dev.weir.worker.WorkerThread;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.apache.kafka.common.serialization.Serdes;
import tools.jackson.databind.json.JsonMapper;

/**
 * A domain of one processor with a total per key, made of the production classes of worker, aligner, epochs, commit and coordinator;
 * only Kafka, the store, the local disk and the clock are fakes. Everything follows from one seed.
 */
final class Domain {

    static final String NAME = "d";
    private static final String GROUP = "d.totals";
    private static final int PARTITIONS = 4;
    private static final int OUTPUT_PARTITIONS = 3;
    private static final int PROCESSES = 3;
    private static final JsonMapper JSON = new JsonMapper();

    private final Simulation simulation;
    private final Workload workload;
    private final InMemoryObjectStore objects;
    private final Map<String, InMemoryStateBackend> disks = new HashMap<>();
    private final Map<SimulatedProcess, List<WorkerThread>> threads = new LinkedHashMap<>();
    private final Sabotage sabotage;
    private final WorkerSettings settings;
    private final List<SourceTopic> sources;
    final Tally tally = new Tally();

    /** What happened, so that a campaign can prove that its faults occurred. */
    static final class Tally implements WorkerListener {
        int rollBacks;
        int restores;
        int commits;
        int bases;
        int leaders;

        @Override
        public void onRolledBack(String processor) {
            rollBacks++;
        }

        @Override
        public void onRestored(String processor, long downloadedBytes, long nanos) {
            restores++;
        }

        @Override
        public void onCommitted(String processor, long nanos) {
            commits++;
        }

        @Override
        public void onBase(String processor, long uploadedBytes, long nanos) {
            bases++;
        }
    }

    Domain(long seed, FaultPlan plan, Sabotage sabotage) {
        this.sabotage = sabotage;
        simulation = new Simulation(seed, plan);
        objects = new InMemoryObjectStore(simulation.clock());
        var kafka = simulation.kafka();
        kafka.createTopic("in", PARTITIONS);
        kafka.createTopic("out", OUTPUT_PARTITIONS);
        workload = new Workload(kafka, simulation.random(), "in", PARTITIONS, 3);
        var random = simulation.random();
        sources = List.of(new SourceTopic("in", random.nextInt(4) == 0 ? MarkerMode.BY_OFFSET : MarkerMode.IN_BAND));
        settings = settings(random);
        for (int i = 0; i < PROCESSES; i++) {
            simulation.addProcess("w" + i, this::start);
        }
    }

    private static WorkerSettings settings(RandomGenerator random) {
        return new WorkerSettings(
                NAME,
                "unset",
                1 + random.nextInt(2),
                new WorkerSettings.StartFrom.Earliest(),
                Duration.ofMillis(random.nextInt(3) == 0 ? 50 : 2_000),
                random.nextBoolean() ? null : Duration.ofMillis(300),
                Duration.ofSeconds(15),
                Duration.ofSeconds(20),
                random.nextInt(4) == 0 ? 600 : 1 << 20,
                random.nextInt(3) * 2_048L,
                5,
                Duration.ofMillis(20),
                new WorkerSettings.BasePolicy(0.5, 200, 4),
                new WorkerSettings.OnError.Stop(),
                random.nextBoolean() ? WorkerSettings.Departure.STAY_MEMBER : WorkerSettings.Departure.LEAVE_GROUP);
    }

    private void start(SimulatedProcess process) {
        var disk = disks.computeIfAbsent(process.name(), name -> new InMemoryStateBackend());
        disk.crash();
        var honest = process.cluster(NAME);
        KafkaCluster cluster = sabotage == Sabotage.NONE ? honest : new SabotagedCluster(honest, sabotage);
        var store = process.store(objects);
        var snapshots = new SnapshotStore(store, NAME, process.tokens());
        var resources = new WorkerResources(
                cluster,
                store,
                snapshots,
                new Restorer(snapshots, disk, DeltaCodec::decode, Transfers.sequential()),
                new BaseUploader(snapshots, Transfers.sequential(), process.clock(), Duration.ofMinutes(10)),
                disk,
                process.clock(),
                process.tokens(),
                tally);
        var own = new ArrayList<WorkerThread>();
        for (int number = 0; number < settings.concurrency(); number++) {
            var thread = new WorkerThread(
                    processor(), number, at(process.name()), resources, process.background("worker-" + number));
            own.add(thread);
            process.add("worker-" + number, () -> !thread.isDone(), () -> step(thread));
        }
        threads.put(process, own);
        var feed = new ControlFeed(cluster, own, Duration.ZERO);
        process.add("feed", () -> true, feed::step);
        var coordinator = new Coordinator(
                new CoordinatorSettings(
                        NAME, sources, Duration.ofMillis(500), Duration.ofSeconds(8), Duration.ofSeconds(7), 40),
                honest,
                snapshots,
                CheckpointListener.NOOP,
                process.background("coordinator"),
                process.clock(),
                process.tokens());
        process.add("coordinator", () -> true, () -> {
            boolean led = coordinator.isLeader();
            coordinator.step(Duration.ZERO);
            tally.leaders += !led && coordinator.isLeader() ? 1 : 0;
        });
    }

    private static void step(WorkerThread thread) {
        thread.step();
        if (thread.status().phase() == Phase.FAILED) {
            throw new AssertionError("Worker thread " + thread.slot() + " failed: "
                    + thread.status().failure());
        }
        thread.status().tasks().stream()
                .filter(task -> task.detail() != null)
                .findFirst()
                .ifPresent(task -> {
                    throw new AssertionError("Task " + task.partition() + " stopped: " + task.detail());
                });
    }

    private WorkerSettings at(String instance) {
        return new WorkerSettings(
                settings.domain(),
                instance,
                settings.concurrency(),
                settings.startFrom(),
                settings.alignmentTimeout(),
                settings.commitInterval(),
                settings.transactionTimeout(),
                settings.maxPollInterval(),
                settings.overlayBytes(),
                settings.cacheBytes(),
                settings.recordsPerStep(),
                settings.pollTime(),
                settings.bases(),
                settings.onError(),
                settings.departure());
    }

    private static BoundProcessor processor() {
        return new BoundProcessor(
                new ProcessorSpec("totals", List.of("in"), List.of("out"), List.of(Totals.TOTAL)),
                new Totals(),
                new MessageCodec(JSON, byte[].class, byte[].class, Map.of()),
                new StateCodec(JSON));
    }

    /** Keeps a total per key and emits it. */
    private static final class Totals implements Processor<byte[], byte[]> {

        static final ValueState<Long> TOTAL = ValueState.of("total", Serdes.Long());

        @Override
        public void process(Message<byte[], byte[]> message, ProcessorContext context) {
            var item = Item.parse(message.value());
            long total = context.state(TOTAL).getOr(0L) + item.delta();
            context.state(TOTAL).set(total);
            context.emit(
                    "out", message.key(), new Total(message.partition(), message.offset(), item.key(), total).bytes());
        }
    }

    Simulation simulation() {
        return simulation;
    }

    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            if (i % 12 == 0) {
                workload.produce();
            }
            simulation.step();
        }
    }

    /** Stops one worker in good order and starts it again later, as a rolling restart does. */
    void restartOne() {
        for (var entry : threads.entrySet()) {
            if (entry.getKey().isRunning() && simulation.random().nextInt(3) == 0) {
                entry.getValue().forEach(WorkerThread::stop);
                return;
            }
        }
    }

    /** Goes on without faults until everything is processed and a later checkpoint is complete; whether that happens. */
    boolean finish() {
        simulation.heal();
        for (var entry : threads.entrySet()) {
            if (entry.getValue().stream().allMatch(WorkerThread::isDone)) {
                simulation.kill(entry.getKey());
                simulation.start(entry.getKey());
            }
        }
        long before = highestComplete();
        return simulation.runUntil(
                () -> {
                    var positions = positions();
                    return IntStream.range(0, PARTITIONS)
                                    .allMatch(p -> positions.getOrDefault(p, 0L) >= lastOffset(p) + 1)
                            && highestComplete() > before;
                },
                60_000);
    }

    private long lastOffset(int partition) {
        var records = input(partition);
        for (int i = records.size() - 1; i >= 0; i--) {
            if (records.get(i).marker() == null) {
                return records.get(i).offset();
            }
        }
        return -1;
    }

    private long highestComplete() {
        return checkpoints().values().stream()
                .filter(checkpoint -> checkpoint.outcome() == CheckpointManifest.Outcome.COMPLETE)
                .mapToLong(CheckpointManifest::checkpoint)
                .max()
                .orElse(0);
    }

    /** Checks everything that can be seen from outside. */
    void check() {
        simulation.kafka().settle();
        var oracle = new Oracle();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            oracle.with(partition, input(partition));
        }
        new OutputChecker(oracle)
                .check(
                        positions(),
                        IntStream.range(0, OUTPUT_PARTITIONS)
                                .mapToObj(p -> records("out", p))
                                .toList());
        var snapshots = snapshots();
        var checkpoints = checkpoints();
        CheckpointChecker.checkDecisions(control(), checkpoints);
        var checker = new CheckpointChecker(oracle, snapshots::readManifest, Domain.this::state);
        checkpoints.values().forEach(checker::check);
    }

    /** Cuts of complete checkpoints that did not wait for all markers. */
    int unalignedCuts() {
        var snapshots = snapshots();
        int count = 0;
        for (var checkpoint : checkpoints().values()) {
            for (var cut : checkpoint.cuts()) {
                var snapshot = snapshots.readManifest(cut.manifest()).task(cut.task());
                count += snapshot != null && !snapshot.lastCut().aligned() ? 1 : 0;
            }
        }
        return count;
    }

    Map<Long, CheckpointManifest> checkpoints() {
        var snapshots = snapshots();
        var all = new TreeMap<Long, CheckpointManifest>();
        for (long id : snapshots.newestCheckpoints(Long.MAX_VALUE, 10_000)) {
            snapshots.readCheckpoint(id).ifPresent(checkpoint -> all.put(id, checkpoint));
        }
        return all;
    }

    private List<ControlRecord> control() {
        ControlReader reader = simulation.kafka().connect(NAME).openControlReader();
        var records = new ArrayList<ControlRecord>();
        for (var batch = reader.poll(Duration.ZERO); !batch.isEmpty(); batch = reader.poll(Duration.ZERO)) {
            batch.forEach(positioned -> records.add(positioned.record()));
        }
        reader.close();
        return records;
    }

    private SnapshotStore snapshots() {
        return new SnapshotStore(objects, NAME, Tokens.from(new java.util.SplittableRandom(1)));
    }

    private Map<String, Long> state(TaskSnapshot snapshot) {
        StateBackend disk = new InMemoryStateBackend();
        var restorer = new Restorer(snapshots(), disk, DeltaCodec::decode, Transfers.sequential());
        var totals = new TreeMap<String, Long>();
        if (snapshot.states().isEmpty()) {
            return totals;
        }
        int number = snapshot.states().get(0).number();
        try (var store = restorer.restore(snapshot, "none", () -> false, Restorer.Progress.NONE)
                .store()) {
            store.scan(StorageKeys.statePrefix(number), (key, value) -> {
                totals.put(
                        new String(StorageKeys.keyOfValue(key), UTF_8),
                        ByteBuffer.wrap(value).getLong());
                return true;
            });
        }
        return totals;
    }

    Map<Integer, Long> positions() {
        Map<Integer, Long> positions = new TreeMap<>();
        simulation
                .kafka()
                .committedPositions(GROUP)
                .forEach((partition, at) -> positions.put(partition.partition(), at.offset()));
        return positions;
    }

    private List<StoredRecord> input(int partition) {
        return records("in", partition);
    }

    private List<StoredRecord> records(String topic, int partition) {
        return simulation.kafka().allCommittedRecords(new TopicPartition(topic, partition));
    }

    /** How things stand, for the message of a failure. */
    String describe() {
        var lines = new ArrayList<String>();
        threads.values()
                .forEach(own -> own.forEach(thread -> lines.add(thread.status().toString())));
        lines.add("positions " + positions() + ", last input "
                + IntStream.range(0, PARTITIONS).mapToObj(this::lastOffset).toList());
        lines.add("complete " + highestComplete() + " at " + simulation.clock().millis() + " ms");
        var control = control();
        lines.add("control " + control.subList(Math.max(0, control.size() - 12), control.size()));
        return String.join("\n", lines);
    }
}
