package dev.weir.autoconfigure;

import dev.weir.autoconfigure.WeirProperties.Processing;
import dev.weir.autoconfigure.WeirProperties.Shutdown;
import dev.weir.autoconfigure.WeirProperties.Topic.Barriers;
import dev.weir.autoconfigure.preflight.Requirements;
import dev.weir.coordinator.CoordinatorSettings;
import dev.weir.coordinator.CoordinatorSettings.MarkerMode;
import dev.weir.coordinator.CoordinatorSettings.SourceTopic;
import dev.weir.kafka.ClusterSettings;
import dev.weir.state.rocks.RocksSettings;
import dev.weir.worker.WorkerSettings;
import dev.weir.worker.WorkerSettings.BasePolicy;
import dev.weir.worker.WorkerSettings.Departure;
import dev.weir.worker.WorkerSettings.OnError;
import dev.weir.worker.WorkerSettings.StartFrom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** What a plan means for each of those who carry it out. */
final class PlanSettings {

    private static final int OPEN_FILES_PER_TASK = 128;
    private static final int CACHE_SHARE_OF_HEAP = 8;
    private static final int FULL_STATE_EVERY = CoordinatorSettings.DEFAULT_FULL_STATE_EVERY;
    private static final Duration POLL_TIME = Duration.ofMillis(50);

    private final ServicePlan plan;
    private final WeirProperties properties;

    PlanSettings(ServicePlan plan) {
        this.plan = plan;
        this.properties = plan.properties();
    }

    ClusterSettings cluster() {
        var defaults = ClusterSettings.of(plan.domain(), Map.of());
        Short replication = properties.topics().replication();
        return new ClusterSettings(
                plan.domain(),
                defaults.controlTopic(),
                plan.clients().consumer(),
                plan.clients().producer(),
                plan.clients().admin(),
                timeouts(),
                defaults.fetch(),
                replication == null ? -1 : replication);
    }

    private ClusterSettings.Timeouts timeouts() {
        Duration transaction = properties.transaction().timeout();
        return new ClusterSettings.Timeouts(
                transaction,
                least(Duration.ofSeconds(30), transaction.dividedBy(2)),
                maxPollInterval(),
                sessionTimeout(),
                least(Duration.ofSeconds(15), transaction.dividedBy(4)));
    }

    WorkerSettings worker(String instance) {
        var bases = properties.base();
        return new WorkerSettings(
                plan.domain(),
                instance,
                properties.concurrency(),
                startFrom(properties.startFrom()),
                properties.alignment().timeout(),
                properties.commit().interval(),
                properties.transaction().timeout(),
                maxPollInterval(),
                properties.limits().overlayBytes().toBytes(),
                cacheBytes(),
                properties.limits().recordsPerStep(),
                POLL_TIME,
                new BasePolicy(bases.share(), bases.minBytes().toBytes(), bases.maxDeltas()),
                onError(properties.processing()),
                properties.shutdown().departure() == Shutdown.Departure.STAY_MEMBER
                        ? Departure.STAY_MEMBER
                        : Departure.LEAVE_GROUP);
    }

    private long cacheBytes() {
        var configured = properties.state().cache();
        long all = configured == null ? Runtime.getRuntime().maxMemory() / CACHE_SHARE_OF_HEAP : configured.toBytes();
        return all / properties.concurrency() / plan.topology().processors().size();
    }

    private static StartFrom startFrom(String text) {
        return switch (text) {
            case "earliest" -> new StartFrom.Earliest();
            case "latest" -> new StartFrom.Latest();
            default -> new StartFrom.Timestamp(Instant.parse(text).toEpochMilli());
        };
    }

    private static OnError onError(Processing processing) {
        String topic = processing.deadLetterTopic();
        return topic == null ? new OnError.Stop() : new OnError.DeadLetter(topic);
    }

    CoordinatorSettings coordinator() {
        Set<String> byOffset = byOffset();
        List<SourceTopic> sources = plan.topology().inputs().stream()
                .map(topic ->
                        new SourceTopic(topic, byOffset.contains(topic) ? MarkerMode.BY_OFFSET : MarkerMode.IN_BAND))
                .toList();
        Duration grace = sessionTimeout();
        return new CoordinatorSettings(
                plan.domain(),
                sources,
                properties.checkpoint().interval(),
                properties.checkpoint().timeout(),
                grace.compareTo(CoordinatorSettings.DEFAULT_SLOT_GRACE) > 0
                        ? grace
                        : CoordinatorSettings.DEFAULT_SLOT_GRACE,
                FULL_STATE_EVERY);
    }

    RocksSettings rocks() {
        var state = properties.state();
        return new RocksSettings(
                state.blockCache().toBytes(), state.writeBuffers().toBytes(), OPEN_FILES_PER_TASK);
    }

    Requirements requirements(String controlTopic) {
        Object maxRequest = plan.clients().producer().getOrDefault(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 1 << 20);
        return new Requirements(
                plan.topology().processors(),
                controlTopic,
                properties.processing().deadLetterTopic(),
                byOffset(),
                properties.concurrency(),
                properties.transaction().timeout(),
                sessionTimeout(),
                maxPollInterval(),
                Integer.parseInt(maxRequest.toString()));
    }

    private Set<String> byOffset() {
        return properties.topic().entrySet().stream()
                .filter(topic -> topic.getValue().barriers() == Barriers.BY_OFFSET)
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    private Duration sessionTimeout() {
        return consumerMillis(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 45_000);
    }

    private Duration maxPollInterval() {
        return consumerMillis(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, 300_000);
    }

    private Duration consumerMillis(String name, long byDefault) {
        Object value = plan.clients().consumer().get(name);
        return Duration.ofMillis(value == null ? byDefault : Long.parseLong(value.toString()));
    }

    private static Duration least(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
