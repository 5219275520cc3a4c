package dev.weir.autoconfigure;

import dev.weir.autoconfigure.preflight.Preflight;
import dev.weir.autoconfigure.preflight.Requirements;
import dev.weir.codec.MessageCodec;
import dev.weir.codec.StateCodec;
import dev.weir.coordinator.CheckpointListener;
import dev.weir.coordinator.Coordinator;
import dev.weir.coordinator.CoordinatorLoop;
import dev.weir.failure.TransientException;
import dev.weir.kafka.ClientKafkaCluster;
import dev.weir.kafka.ClusterSettings;
import dev.weir.kafka.KafkaCluster;
import dev.weir.kafka.TopicAdmin;
import dev.weir.metrics.DomainMeters;
import dev.weir.metrics.WeirMeters;
import dev.weir.snapshot.BaseUploader;
import dev.weir.snapshot.ObjectStore;
import dev.weir.snapshot.Restorer;
import dev.weir.snapshot.SnapshotStore;
import dev.weir.snapshot.Transfers;
import dev.weir.state.DeltaCodec;
import dev.weir.state.StateBackend;
import dev.weir.state.rocks.RocksStateBackend;
import dev.weir.status.CheckpointStatus;
import dev.weir.status.StatusSource;
import dev.weir.status.ThreadStatus;
import dev.weir.time.Clock;
import dev.weir.time.ThreadedBackground;
import dev.weir.time.Tokens;
import dev.weir.worker.BoundProcessor;
import dev.weir.worker.Worker;
import dev.weir.worker.WorkerResources;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** The workers and the coordinator of this process, and all that they work with. */
final class LocalService implements ServiceRuntime {

    private static final Logger log = LoggerFactory.getLogger(LocalService.class);
    private static final int TRANSFERS_AT_ONCE = 8;
    private static final Duration REUSE_UPLOADS_FOR = Duration.ofMinutes(15);

    /** What stands between this process and the brokers and the object store: nothing but in tests. */
    record Surroundings(UnaryOperator<KafkaCluster> cluster, UnaryOperator<ObjectStore> objects) {}

    /** What is open, the last opened first. */
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    private final Clock clock = Clock.system();
    private final Tokens tokens = Tokens.secure();
    private final ServicePlan plan;
    private final PlanSettings settings;
    private final JsonMapper mapper;
    private final WeirMeters meters;
    private final Surroundings surroundings;
    private @Nullable StatusSource status;

    private LocalService(ServicePlan plan, JsonMapper mapper, WeirMeters meters, Surroundings surroundings) {
        this.plan = plan;
        this.surroundings = surroundings;
        this.settings = new PlanSettings(plan);
        this.mapper = mapper;
        this.meters = meters;
    }

    /** Starts plans in this process. */
    static ServiceRuntime.Starter starter(JsonMapper mapper, WeirMeters meters) {
        return starter(mapper, meters, new Surroundings(cluster -> cluster, objects -> objects));
    }

    /** Starts plans in this process, with something between it and what is around it. */
    static ServiceRuntime.Starter starter(JsonMapper mapper, WeirMeters meters, Surroundings surroundings) {
        return plan -> {
            var service = new LocalService(plan, mapper, meters, surroundings);
            try {
                service.start();
                return service;
            } catch (Throwable e) {
                service.close();
                throw e;
            }
        };
    }

    private void start() {
        WeirProperties properties = plan.properties();
        Path directory = properties.state().directory();
        var identity = opened(InstanceIdentity.take(directory, properties.instanceId(), System.getenv(), tokens));
        ObjectStore objects = surroundings.objects().apply(opened(ObjectStores.open(properties.store(), clock)));
        ClusterSettings clusterSettings = settings.cluster();
        clusterSettings.conflicts().forEach(conflict -> log.atWarn().log(conflict));
        Requirements requirements = settings.requirements(clusterSettings.controlTopic());
        var clients = opened(new ClientKafkaCluster(clusterSettings));
        KafkaCluster cluster = surroundings.cluster().apply(clients);
        if (properties.topics().create()) {
            createTopics(clients, requirements);
        }
        new Preflight(plan.clients().admin(), properties.preflight().timeout()).check(requirements, objects, directory);

        StateBackend backend = opened(new RocksStateBackend(directory.resolve("tasks"), settings.rocks()));
        var snapshots = new SnapshotStore(objects, plan.domain(), tokens);
        Transfers transfers = Transfers.parallel(transferThreads(), TRANSFERS_AT_ONCE);
        var coordinator = new Coordinator(
                settings.coordinator(),
                cluster,
                snapshots,
                checkpointMeters(),
                new ThreadedBackground("weir-coordinator"),
                clock,
                tokens);
        var loop = opened(new CoordinatorLoop(plan.domain(), coordinator));
        var worker = opened(new Worker(
                processors(),
                settings.worker(identity.name()),
                new WorkerResources(
                        cluster,
                        objects,
                        snapshots,
                        new Restorer(snapshots, backend, DeltaCodec::decode, transfers),
                        new BaseUploader(snapshots, transfers, clock, REUSE_UPLOADS_FOR),
                        backend,
                        clock,
                        tokens,
                        new WorkerMeters(meters)),
                ThreadedBackground::new));
        var running = new Running(worker, coordinator, loop);
        status = running;
        showDomain(running);
        loop.start();
        worker.start();
    }

    private List<BoundProcessor> processors() {
        var states = new StateCodec(mapper);
        return plan.processors().stream()
                .map(found -> new BoundProcessor(
                        found.spec(),
                        found.processor(),
                        new MessageCodec(mapper, found.keyType(), found.valueType(), plan.serdes()),
                        states))
                .toList();
    }

    private void createTopics(TopicAdmin admin, Requirements requirements) {
        var topics = plan.properties().topics();
        int partitions = topics.partitions() == null ? -1 : topics.partitions();
        short replication = topics.replication() == null ? -1 : topics.replication();
        var names = new TreeSet<>(plan.topology().inputs());
        names.addAll(requirements.outputs());
        try {
            for (String name : names) {
                if (admin.createTopic(name, partitions, replication, Map.of())) {
                    log.atInfo().addKeyValue("topic", name).log("Topic created");
                }
            }
        } catch (TransientException e) {
            log.atWarn().addKeyValue("reason", e.getMessage()).log("Topics could not be created");
        }
    }

    private ExecutorService transferThreads() {
        ExecutorService threads = Executors.newFixedThreadPool(TRANSFERS_AT_ONCE, task -> {
            var thread = new Thread(task, "weir-transfer");
            thread.setDaemon(true);
            return thread;
        });
        open.push(threads::shutdownNow);
        return threads;
    }

    private CheckpointListener checkpointMeters() {
        DomainMeters domain = meters.domain(plan.domain());
        return new CheckpointListener() {
            @Override
            public void completed(long checkpoint, Duration took) {
                domain.completed(took);
            }

            @Override
            public void abandoned(long checkpoint, Duration took, String reason) {
                domain.abandoned();
            }
        };
    }

    private void showDomain(Running running) {
        DomainMeters domain = meters.domain(plan.domain());
        opened(domain.leader(running::isLeader));
        opened(domain.checkpointAge(() -> {
            CheckpointStatus last = running.lastCompleted();
            return last == null || last.startedAtMillis() < 0
                    ? -1
                    : clock.wallMillis() - last.startedAtMillis() - Math.max(0, last.durationMillis());
        }));
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.push(resource);
        return resource;
    }

    @Override
    public StatusSource status() {
        if (status == null) {
            throw new IllegalStateException("Cannot tell the status: the service has not been started");
        }
        return status;
    }

    @Override
    public void close() {
        while (!open.isEmpty()) {
            AutoCloseable next = open.pop();
            try {
                next.close();
            } catch (Exception e) {
                log.atWarn()
                        .setCause(e)
                        .addKeyValue("part", next.getClass().getSimpleName())
                        .log("A part did not close well");
            }
        }
    }

    private record Running(Worker worker, Coordinator coordinator, CoordinatorLoop loop) implements StatusSource {

        @Override
        public List<ThreadStatus> threads() {
            return worker.status();
        }

        @Override
        public List<CheckpointStatus> checkpoints() {
            return coordinator.checkpoints();
        }

        @Override
        public boolean isLeader() {
            return coordinator.isLeader();
        }

        @Override
        public @Nullable String coordinationFailure() {
            var failure = loop.failure();
            return failure == null ? null : String.valueOf(failure.getMessage());
        }

        @Override
        public @Nullable CheckpointStatus lastCompleted() {
            return coordinator.lastCompleted();
        }
    }
}
