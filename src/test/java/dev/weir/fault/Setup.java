package dev.weir.fault;

import dev.weir.coordinator.CoordinatorSettings;
import dev.weir.coordinator.CoordinatorSettings.MarkerMode;
import dev.weir.coordinator.CoordinatorSettings.SourceTopic;
import dev.weir.kafka.ClusterSettings;
import dev.weir.worker.WorkerSettings;
import dev.weir.worker.WorkerSettings.BasePolicy;
import dev.weir.worker.WorkerSettings.Departure;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How services are set up: by default so that everything happens within seconds. Fields are set before a service starts. */
final class Setup {

    /** Where the service finds the broker, if it is not to go there directly. */
    @Nullable
    String address;

    int partitions = 2;
    Duration patience = Duration.ofSeconds(20);
    int outputPartitions = 2;
    int keysPerPartition = 5;
    MarkerMode markers = MarkerMode.IN_BAND;
    Duration checkpointInterval = Duration.ofMillis(300);
    Duration checkpointTimeout = Duration.ofSeconds(8);
    Duration alignmentTimeout = Duration.ofMillis(500);

    @Nullable
    Duration commitInterval;

    Duration transactionTimeout = Duration.ofSeconds(9);
    Duration commitDeadline = Duration.ofSeconds(4);
    Duration maxPollInterval = Duration.ofSeconds(6);
    Duration session = Duration.ofSeconds(2);
    Duration request = Duration.ofSeconds(3);
    Duration slotGrace = Duration.ofSeconds(3);
    int concurrency = 1;
    long overlayBytes = 1 << 20;
    long cacheBytes = 64 << 10;
    int recordsPerStep = 200;
    int fullStateEvery = 200;
    BasePolicy bases = new BasePolicy(0.5, 256, 6);
    WorkerSettings.OnError onError = new WorkerSettings.OnError.Stop();
    WorkerSettings.StartFrom startFrom = new WorkerSettings.StartFrom.Earliest();
    Departure departure = Departure.STAY_MEMBER;

    /** What a user might write under {@code spring.kafka.properties}, beside the address. */
    final Map<String, Object> clients = new HashMap<>(Map.of("metadata.max.age.ms", 1_000));

    Setup copy() {
        var copy = new Setup();
        copy.address = address;
        copy.partitions = partitions;
        copy.outputPartitions = outputPartitions;
        copy.keysPerPartition = keysPerPartition;
        copy.markers = markers;
        copy.checkpointInterval = checkpointInterval;
        copy.checkpointTimeout = checkpointTimeout;
        copy.alignmentTimeout = alignmentTimeout;
        copy.commitInterval = commitInterval;
        copy.transactionTimeout = transactionTimeout;
        copy.commitDeadline = commitDeadline;
        copy.maxPollInterval = maxPollInterval;
        copy.session = session;
        copy.request = request;
        copy.slotGrace = slotGrace;
        copy.concurrency = concurrency;
        copy.overlayBytes = overlayBytes;
        copy.cacheBytes = cacheBytes;
        copy.recordsPerStep = recordsPerStep;
        copy.fullStateEvery = fullStateEvery;
        copy.bases = bases;
        copy.onError = onError;
        copy.startFrom = startFrom;
        copy.departure = departure;
        copy.clients.clear();
        copy.clients.putAll(clients);
        return copy;
    }

    ClusterSettings cluster(String domain, String bootstrapServers) {
        var all = new HashMap<>(clients);
        all.put("bootstrap.servers", bootstrapServers);
        return ClusterSettings.of(domain, all)
                .withTimeouts(new ClusterSettings.Timeouts(
                        transactionTimeout, commitDeadline, maxPollInterval, session, request));
    }

    WorkerSettings worker(String domain, String instance) {
        return new WorkerSettings(
                domain,
                instance,
                concurrency,
                startFrom,
                alignmentTimeout,
                commitInterval,
                transactionTimeout,
                maxPollInterval,
                overlayBytes,
                cacheBytes,
                recordsPerStep,
                Duration.ofMillis(20),
                bases,
                onError,
                departure);
    }

    CoordinatorSettings coordinator(String domain, String input) {
        return new CoordinatorSettings(
                domain,
                List.of(new SourceTopic(input, markers)),
                checkpointInterval,
                checkpointTimeout,
                slotGrace,
                fullStateEvery);
    }
}
