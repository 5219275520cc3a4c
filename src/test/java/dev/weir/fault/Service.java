package dev.weir.fault;

import dev.weir.api.Processor;
import dev.weir.codec.MessageCodec;
import dev.weir.codec.StateCodec;
import dev.weir.coordinator.CheckpointListener;
import dev.weir.coordinator.Coordinator;
import dev.weir.fault.Sequence.Item;
import dev.weir.kafka.ClientKafkaCluster;
import dev.weir.kafka.KafkaCluster;
import dev.weir.snapshot.BaseUploader;
import dev.weir.snapshot.ObjectStore;
import dev.weir.snapshot.Restorer;
import dev.weir.snapshot.SnapshotStore;
import dev.weir.snapshot.Transfers;
import dev.weir.state.DeltaCodec;
import dev.weir.state.StateBackend;
import dev.weir.state.rocks.RocksSettings;
import dev.weir.state.rocks.RocksStateBackend;
import dev.weir.status.TaskStatus;
import dev.weir.status.ThreadStatus;
import dev.weir.time.Clock;
import dev.weir.time.Pause;
import dev.weir.time.ThreadedBackground;
import dev.weir.time.Tokens;
import dev.weir.topology.ProcessorSpec;
import dev.weir.worker.BoundProcessor;
import dev.weir.worker.ControlFeed;
import dev.weir.worker.WorkerResources;
import dev.weir.worker.WorkerThread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;
import tools.jackson.databind.json.JsonMapper;

/**
 * One process of the service as far as that goes within a JVM: the production's worker threads, control feed and coordinator, with
 * clients, a disk and a stable instance id of its own. It can be started, held still, stopped and killed, again and again. Its methods
 * belong to the test's thread.
 */
final class Service {

    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration LONG = Duration.ofSeconds(30);

    /** What runs on threads of its own. */
    enum Part {
        WORKERS,
        FEED,
        COORDINATOR
    }

    private final Rig rig;
    private final String name;
    private final Setup setup;
    private final Path disk;
    private final Events events = new Events();
    private UnaryOperator<KafkaCluster> cluster = real -> real;
    private UnaryOperator<ObjectStore> objects = real -> real;
    private UnaryOperator<StateBackend> backend = real -> real;
    private Consumer<Item> beforeItem = item -> {};
    private UnaryOperator<Processor<byte[], byte[]>> processor = real -> real;
    private boolean works = true;
    private boolean coordinates = true;
    private volatile @Nullable Life life;

    Service(Rig rig, String name, Setup setup, Path disk) {
        this.rig = rig;
        this.name = name;
        this.setup = setup;
        this.disk = disk;
    }

    /** Its own set-up, to be changed before it starts. */
    Setup setup() {
        return setup;
    }

    /** Puts something between it and Kafka. */
    Service withCluster(UnaryOperator<KafkaCluster> decorator) {
        cluster = decorator;
        return this;
    }

    /** Puts something between it and the object store. */
    Service withObjects(UnaryOperator<ObjectStore> decorator) {
        objects = decorator;
        return this;
    }

    /** Puts something between it and its disk. */
    Service withBackend(UnaryOperator<StateBackend> decorator) {
        backend = decorator;
        return this;
    }

    /** Sees each item on the worker's thread before it is processed; may wait or throw. Let go of it before the service is killed. */
    Service beforeItem(Consumer<Item> seen) {
        beforeItem = seen;
        return this;
    }

    /** Puts something in the place of, or around, what it does with each message. */
    Service withProcessor(UnaryOperator<Processor<byte[], byte[]>> decorator) {
        processor = decorator;
        return this;
    }

    /** It only works and never leads. */
    Service withoutCoordinator() {
        coordinates = false;
        return this;
    }

    /** It only coordinates. */
    Service withoutWorkers() {
        works = false;
        return this;
    }

    /** Starts it; all parts run. */
    Service run() {
        begin().parts.values().forEach(loops -> loops.forEach(Loop::start));
        return this;
    }

    /** Starts it with all parts held: the test steps them, or releases them. */
    Service open() {
        var begun = begin();
        begun.parts
                .values()
                .forEach(loops -> loops.forEach(loop -> {
                    loop.hold();
                    loop.start();
                }));
        return this;
    }

    private Life begin() {
        if (life != null) {
            throw new IllegalStateException(name + " lives already");
        }
        var begun = new Life();
        life = begun;
        return begun;
    }

    /** Returns when the part stands still between two steps. Its clients' own threads go on: it remains a member of its groups. */
    void hold(Part part) {
        life().loops(part).forEach(Loop::hold);
    }

    /** Lets a held part run again. */
    void release(Part part) {
        life().loops(part).forEach(Loop::release);
    }

    /** Lets one thread of a held part run again, by its number. */
    void release(Part part, int number) {
        life().loops(part).get(number).release();
    }

    /** Does one step of a held part on this thread, of each of its threads. */
    void step(Part part) {
        life().loops(part).forEach(Loop::step);
    }

    /** One step of everything, all parts being held. */
    void step() {
        for (var part : Part.values()) {
            step(part);
        }
    }

    /** Stops in good order and waits for it. */
    void stop() {
        var ending = life();
        life = null;
        ending.stop();
    }

    /** Ends as a killed process does: nothing is committed, flushed, left or closed any more; sessions and transactions time out. */
    void kill() {
        var ending = life();
        life = null;
        ending.kill();
    }

    boolean isAlive() {
        return life != null;
    }

    /** Deletes its disk; it must not be alive. */
    void wipeDisk() {
        if (life != null) {
            throw new IllegalStateException(name + " is using its disk");
        }
        try {
            FileSystemUtils.deleteRecursively(disk);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where its tasks' state is on the disk. */
    Path disk() {
        return disk;
    }

    String name() {
        return name;
    }

    /** The slot of its first thread: how the ids of that thread's clients begin. */
    String slot() {
        return rig.group() + "." + name + ".0";
    }

    /** What it has done. */
    Events events() {
        return events;
    }

    List<WorkerThread> workers() {
        return List.copyOf(life().workers);
    }

    List<ThreadStatus> status() {
        return life().workers.stream().map(WorkerThread::status).toList();
    }

    List<TaskStatus> tasks() {
        return status().stream().flatMap(thread -> thread.tasks().stream()).toList();
    }

    /** The task of a partition, or null if it is not here. */
    @Nullable
    TaskStatus task(int partition) {
        return tasks().stream()
                .filter(task -> task.partition() == partition)
                .findFirst()
                .orElse(null);
    }

    /** Partitions whose tasks run here. */
    List<Integer> running() {
        return tasks().stream()
                .filter(task -> task.phase() == TaskStatus.Phase.RUNNING)
                .map(TaskStatus::partition)
                .sorted()
                .toList();
    }

    /** Whether its coordinator leads, as far as it knows. */
    boolean leads() {
        var coordinator = life().coordinator;
        return coordinator != null && coordinator.isLeader();
    }

    /** What ended a part of it by itself, or null. */
    @Nullable
    Throwable failure() {
        return life().parts.values().stream()
                .flatMap(List::stream)
                .map(Loop::failure)
                .filter(failed -> failed != null)
                .findFirst()
                .orElse(null);
    }

    private Life life() {
        var now = life;
        if (now == null) {
            throw new IllegalStateException(name + " is not alive");
        }
        return now;
    }

    /** From one start to its end. */
    private final class Life {

        final Mortal mortal = new Mortal();
        final List<WorkerThread> workers = new ArrayList<>();
        final Map<Part, List<Loop>> parts = new EnumMap<>(Part.class);
        final StateBackend disks;
        final KafkaCluster kafka;
        final @Nullable Coordinator coordinator;
        volatile boolean coordinating = true;
        volatile boolean feeding = true;

        Life() {
            var tokens = Tokens.secure();
            var clock = Clock.system();
            kafka = cluster.apply(new ClientKafkaCluster(
                    setup.cluster(
                            rig.domain(), setup.address == null ? rig.broker().bootstrapServers() : setup.address),
                    mortal.clients(),
                    clock,
                    Pause.real()));
            disks = new RocksStateBackend(disk, new RocksSettings(16 << 20, 4 << 20, 64));
            var store = mortal.store(objects.apply(rig.objects()));
            var snapshots = new SnapshotStore(store, rig.domain(), tokens);
            var files = backend.apply(disks);
            var resources = new WorkerResources(
                    kafka,
                    store,
                    snapshots,
                    new Restorer(snapshots, files, DeltaCodec::decode, Transfers.sequential()),
                    new BaseUploader(snapshots, Transfers.sequential(), clock, Duration.ofMinutes(15)),
                    files,
                    clock,
                    tokens,
                    events);
            var loops = new ArrayList<Loop>();
            for (int number = 0; works && number < setup.concurrency; number++) {
                var thread = new WorkerThread(
                        processor(),
                        number,
                        setup.worker(rig.domain(), name),
                        resources,
                        new ThreadedBackground(name + "-" + number));
                workers.add(thread);
                loops.add(new Loop(
                        name + "-worker-" + number,
                        () -> !mortal.isDead() && !thread.isDone(),
                        thread::step,
                        () -> {}));
            }
            var feed = new ControlFeed(kafka, workers, Duration.ofMillis(50));
            parts.put(Part.WORKERS, loops);
            parts.put(
                    Part.FEED,
                    List.of(new Loop(
                            name + "-feed",
                            () -> !mortal.isDead() && feeding,
                            () -> feed.step(),
                            () -> whileAlive(feed::close))));
            coordinator = coordinates ? coordinator(snapshots, clock, tokens) : null;
            parts.put(Part.COORDINATOR, coordinator == null ? List.of() : List.of(loop(coordinator)));
        }

        private Coordinator coordinator(SnapshotStore snapshots, Clock clock, Tokens tokens) {
            return new Coordinator(
                    setup.coordinator(rig.domain(), rig.input()),
                    kafka,
                    snapshots,
                    CheckpointListener.NOOP,
                    new ThreadedBackground(name + "-coordinator"),
                    clock,
                    tokens);
        }

        private Loop loop(Coordinator one) {
            return new Loop(
                    name + "-coordinator",
                    () -> !mortal.isDead() && coordinating,
                    () -> {
                        try {
                            one.step(Duration.ofMillis(20));
                        } catch (RuntimeException e) {
                            one.close();
                            throw e;
                        }
                    },
                    () -> whileAlive(one::close));
        }

        private BoundProcessor processor() {
            return new BoundProcessor(
                    new ProcessorSpec(Totals.NAME, List.of(rig.input()), List.of(rig.output()), List.of(Totals.TOTAL)),
                    Service.this.processor.apply(new Totals(rig.output(), beforeItem)),
                    new MessageCodec(JSON, byte[].class, byte[].class, Map.of()),
                    new StateCodec(JSON));
        }

        List<Loop> loops(Part part) {
            return parts.getOrDefault(part, List.of());
        }

        private void whileAlive(Runnable action) {
            if (!mortal.isDead()) {
                action.run();
            }
        }

        void stop() {
            workers.forEach(WorkerThread::stop);
            end(Part.WORKERS);
            coordinating = false;
            end(Part.COORDINATOR);
            feeding = false;
            end(Part.FEED);
            disks.close();
            kafka.close();
        }

        void kill() {
            mortal.die();
            for (var part : Part.values()) {
                end(part);
            }
            disks.close();
            mortal.bury();
        }

        private void end(Part part) {
            loops(part).forEach(Loop::release);
            loops(part).forEach(loop -> loop.join(LONG));
        }
    }
}
