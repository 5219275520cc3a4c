package dev.weir.fault;

import dev.weir.codec.MessageCodec;
import dev.weir.codec.StateCodec;
import dev.weir.coordinator.CheckpointListener;
import dev.weir.coordinator.Coordinator;
import dev.weir.coordinator.CoordinatorLoop;
import dev.weir.fixture.LocalS3;
import dev.weir.kafka.ClientKafkaCluster;
import dev.weir.snapshot.BaseUploader;
import dev.weir.snapshot.ObjectStore;
import dev.weir.snapshot.Restorer;
import dev.weir.snapshot.SnapshotStore;
import dev.weir.snapshot.Transfers;
import dev.weir.snapshot.s3.S3ObjectStore;
import dev.weir.snapshot.s3.S3Settings;
import dev.weir.state.DeltaCodec;
import dev.weir.state.rocks.RocksSettings;
import dev.weir.state.rocks.RocksStateBackend;
import dev.weir.status.TaskStatus;
import dev.weir.status.ThreadStatus;
import dev.weir.time.Clock;
import dev.weir.time.ThreadedBackground;
import dev.weir.time.Tokens;
import dev.weir.topology.ProcessorSpec;
import dev.weir.worker.BoundProcessor;
import dev.weir.worker.Worker;
import dev.weir.worker.WorkerListener;
import dev.weir.worker.WorkerResources;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import tools.jackson.databind.json.JsonMapper;

/** A process of a service, to be tortured. It ends when something needs an operator, as a pod would be restarted. */
final class TortureWorker {

    /** The exit value when a thread has failed or a task stands still. */
    static final int NEEDS_RESTART = 3;

    private TortureWorker() {}

    /** How the service is set up, in this process and in the one that judges it. */
    static void set(Setup setup) {
        setup.partitions = 6;
        setup.outputPartitions = 6;
        setup.keysPerPartition = 40;
        setup.checkpointInterval = Duration.ofMillis(700);
        setup.checkpointTimeout = Duration.ofSeconds(15);
        setup.alignmentTimeout = Duration.ofSeconds(1);
        setup.transactionTimeout = Duration.ofSeconds(10);
        setup.commitDeadline = Duration.ofSeconds(5);
        setup.maxPollInterval = Duration.ofSeconds(20);
        setup.session = Duration.ofSeconds(6);
        setup.request = Duration.ofSeconds(4);
        setup.slotGrace = Duration.ofSeconds(8);
        setup.patience = Duration.ofSeconds(120);
    }

    static ObjectStore store(URI endpoint, String prefix) {
        LocalS3.useCredentials();
        return S3ObjectStore.open(S3Settings.bucket("weir")
                .prefix(prefix)
                .region(LocalS3.REGION)
                .endpoint(endpoint)
                .addressing(S3Settings.Addressing.PATH)
                .timeouts(Duration.ofSeconds(8), Duration.ofSeconds(3))
                .build());
    }

    /** Arguments: bootstrap servers, domain, input, output, instance id, folder for state, S3 endpoint, prefix. */
    public static void main(String[] arguments) {
        var setup = new Setup();
        set(setup);
        String domain = arguments[1];
        String instance = arguments[4];
        var json = new JsonMapper();
        var clock = Clock.system();
        var tokens = Tokens.secure();
        var cluster = new ClientKafkaCluster(setup.cluster(domain, arguments[0]));
        var objects = store(URI.create(arguments[6]), arguments[7]);
        var snapshots = new SnapshotStore(objects, domain, tokens);
        var backend = new RocksStateBackend(Path.of(arguments[5]), new RocksSettings(16 << 20, 4 << 20, 64));
        var transfers = Transfers.parallel(
                Executors.newFixedThreadPool(2, work -> {
                    var thread = new Thread(work, "transfer");
                    thread.setDaemon(true);
                    return thread;
                }),
                2);
        var coordinator = new Coordinator(
                setup.coordinator(domain, arguments[2]),
                cluster,
                snapshots,
                CheckpointListener.NOOP,
                new ThreadedBackground("coordinator"),
                clock,
                tokens);
        var worker = new Worker(
                List.of(new BoundProcessor(
                        new ProcessorSpec(
                                Totals.NAME, List.of(arguments[2]), List.of(arguments[3]), List.of(Totals.TOTAL)),
                        new Totals(arguments[3], item -> {}),
                        new MessageCodec(json, byte[].class, byte[].class, Map.of()),
                        new StateCodec(json))),
                setup.worker(domain, instance),
                new WorkerResources(
                        cluster,
                        objects,
                        snapshots,
                        new Restorer(snapshots, backend, DeltaCodec::decode, transfers),
                        new BaseUploader(snapshots, transfers, clock, Duration.ofMinutes(15)),
                        backend,
                        clock,
                        tokens,
                        WorkerListener.NONE),
                ThreadedBackground::new);
        var loop = new CoordinatorLoop(domain, coordinator);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            worker.close();
            loop.close();
        }));
        loop.start();
        worker.start();
        System.out.println("STARTED");
        Awaitility.await()
                .pollInterval(Duration.ofMillis(500))
                .forever()
                .until(() -> loop.failure() != null || worker.status().stream().anyMatch(TortureWorker::needsRestart));
        System.out.println("NEEDS RESTART " + loop.failure() + " " + worker.status());
        Runtime.getRuntime().halt(NEEDS_RESTART);
    }

    private static boolean needsRestart(ThreadStatus thread) {
        return thread.phase() == ThreadStatus.Phase.FAILED
                || thread.tasks().stream().anyMatch(task -> task.phase() == TaskStatus.Phase.STOPPED);
    }
}
