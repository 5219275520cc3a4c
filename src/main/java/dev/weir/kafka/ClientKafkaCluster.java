package dev.weir.kafka;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toUnmodifiableSet;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.TransientException;
import dev.weir.time.Clock;
import dev.weir.time.Pause;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/** A Kafka cluster through Kafka's clients. Creates the domain's control topic when it is first needed and absent. */
public final class ClientKafkaCluster implements KafkaCluster, TopicAdmin {

    private static final int MAX_REQUEST_SIZE = 1 << 20;
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(50);

    private final ClusterSettings settings;
    private final Clients clients;
    private final Clock clock;
    private final Pause pause;
    private final Admin admin;
    private final ClientTopicAdmin topics;
    private volatile boolean hasControlTopic;

    /** With Kafka's own clients and the machine's clock. */
    public ClientKafkaCluster(ClusterSettings settings) {
        this(settings, Clients.direct(), Clock.system(), Pause.real());
    }

    /** With clients of the caller's making. */
    public ClientKafkaCluster(ClusterSettings settings, Clients clients, Clock clock, Pause pause) {
        this.settings = settings;
        this.clients = clients;
        this.clock = clock;
        this.pause = pause;
        try {
            this.admin = clients.admins().apply(settings.adminProperties());
        } catch (RuntimeException e) {
            throw ClientErrors.of("connect to Kafka", e);
        }
        this.topics = new ClientTopicAdmin(admin);
    }

    @Override
    public String clusterId() {
        return topics.clusterId();
    }

    @Override
    public boolean createTopic(String topic, int partitions, short replication, Map<String, String> configs) {
        boolean created = topics.createTopic(topic, partitions, replication, configs);
        topics.awaitTopic(topic, clock, pause, settings.timeouts().request());
        return created;
    }

    @Override
    public BrokerSettings brokerSettings() {
        return topics.brokerSettings();
    }

    @Override
    public Permission writePermission(String topic) {
        return topics.writePermission(topic);
    }

    @Override
    public Map<String, TopicDescription> describeTopics(Collection<String> names) {
        return topics.describe(names);
    }

    @Override
    public Source openSource(SourceSettings source, PartitionListener listener) {
        var membership = new Membership(source.topics(), source.ownedHint(), clock);
        return new ClientSource(consumer(settings.sourceProperties(source, membership)), source, listener, membership);
    }

    @Override
    public TransactionalSink openSink(String transactionalId) {
        var properties = settings.sinkProperties(transactionalId);
        var producer = transactional(properties, transactionalId);
        var max = properties.getOrDefault(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_REQUEST_SIZE);
        return new ClientSink(
                producer,
                transactionalId,
                Integer.parseInt(max.toString().trim()),
                settings.timeouts().commitDeadline(),
                clock);
    }

    @Override
    public ControlReader openControlReader() {
        ensureControlTopic();
        var partition = controlPartition();
        var one = Set.of(partition);
        return new ClientControlReader(
                consumer(settings.assignedReaderProperties(settings.controlTopic() + ".reader")),
                partition,
                () -> only(beginningOffsets(one)),
                () -> only(endOffsets(one)));
    }

    @Override
    public ControlWriter openControlWriter() {
        ensureControlTopic();
        return new PlainControlWriter(
                producer(settings.plainProducerProperties(settings.controlTopic() + ".writer")),
                settings.controlTopic());
    }

    @Override
    public ControlWriter openLeaderWriter() {
        ensureControlTopic();
        return new LeaderControlWriter(
                transactional(settings.leaderWriterProperties(), settings.coordinatorId()), settings.controlTopic());
    }

    @Override
    public Leadership openLeadership() {
        ensureControlTopic();
        return new GroupLeadership(consumer(settings.leadershipProperties()), settings.controlTopic());
    }

    @Override
    public MarkerWriter openMarkerWriter() {
        return new ClientMarkerWriter(
                producer(settings.plainProducerProperties("weir." + settings.domain() + ".markers")));
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Set<TopicPartition> partitions) {
        return offsets(partitions, OffsetSpec.latest());
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Set<TopicPartition> partitions) {
        return offsets(partitions, OffsetSpec.earliest());
    }

    @Override
    public Map<TopicPartition, Long> offsetsAt(Set<TopicPartition> partitions, long timestampMillis) {
        var found = new HashMap<>(offsets(partitions, OffsetSpec.forTimestamp(timestampMillis)));
        var none = found.entrySet().stream()
                .filter(each -> each.getValue() < 0)
                .map(Map.Entry::getKey)
                .collect(toUnmodifiableSet());
        found.putAll(endOffsets(none));
        return Map.copyOf(found);
    }

    private Map<TopicPartition, Long> offsets(Set<TopicPartition> partitions, OffsetSpec spec) {
        if (partitions.isEmpty()) {
            return Map.of();
        }
        var asked = partitions.stream().collect(toMap(Topics::toClient, partition -> spec));
        var answer = ask(
                "find offsets of " + names(partitions), admin.listOffsets(asked).all());
        return answer.entrySet().stream()
                .collect(toMap(each -> Topics.fromClient(each.getKey()), each -> each.getValue()
                        .offset()));
    }

    /**
     * {@inheritDoc}
     *
     * <p>The client leaves partitions out about which the broker answers with an error, such as that of a pending transaction, and
     * gives null for those without a position. A broker that is about to hand the group over to another one may say wrongly that there
     * is no position, so that is believed only when it is said twice.
     */
    @Override
    public Map<TopicPartition, CommittedPosition> committed(String group, Set<TopicPartition> partitions) {
        var committed = new HashMap<TopicPartition, CommittedPosition>();
        var absentOnce = new HashSet<TopicPartition>();
        var left = new HashSet<>(partitions);
        long deadline = clock.nanos() + settings.timeouts().request().toNanos();
        while (!left.isEmpty()) {
            var answer = listPositions(group, left);
            for (var partition : Set.copyOf(left)) {
                var client = Topics.toClient(partition);
                var position = answer.get(client);
                if (position != null) {
                    committed.put(partition, new CommittedPosition(position.offset(), position.metadata()));
                    left.remove(partition);
                } else if (answer.containsKey(client) && !absentOnce.add(partition)) {
                    left.remove(partition);
                }
            }
            if (!left.isEmpty()) {
                if (clock.nanos() - deadline >= 0 || Thread.currentThread().isInterrupted()) {
                    throw new TransientException("Cannot read the committed positions of group " + group + " in "
                            + names(left) + ": a transaction that may change them did not end within "
                            + settings.timeouts().request() + "; it can be tried again");
                }
                pause.await(BETWEEN_TRIES);
            }
        }
        return Map.copyOf(committed);
    }

    private Map<org.apache.kafka.common.TopicPartition, OffsetAndMetadata> listPositions(
            String group, Set<TopicPartition> partitions) {
        var spec = new ListConsumerGroupOffsetsSpec().topicPartitions(Topics.toClient(partitions));
        var options = new ListConsumerGroupOffsetsOptions().requireStable(true);
        try {
            return ask(
                    "read the committed positions of group " + group,
                    admin.listConsumerGroupOffsets(Map.of(group, spec), options).partitionsToOffsetAndMetadata(group));
        } catch (TransientException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                var none = new HashMap<org.apache.kafka.common.TopicPartition, OffsetAndMetadata>();
                partitions.forEach(partition -> none.put(Topics.toClient(partition), null));
                return none;
            }
            throw e;
        }
    }

    @Override
    public Set<String> memberInstances(String group) {
        try {
            var descriptions = ask(
                    "list the members of group " + group,
                    admin.describeConsumerGroups(List.of(group)).all());
            return descriptions.values().stream()
                    .flatMap(description -> description.members().stream())
                    .map(member -> member.groupInstanceId())
                    .flatMap(Optional::stream)
                    .collect(toUnmodifiableSet());
        } catch (TransientException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return Set.of();
            }
            throw e;
        }
    }

    @Override
    public void fence(List<String> transactionalIds) {
        if (!transactionalIds.isEmpty()) {
            ask(
                    "fence the producers " + transactionalIds,
                    admin.fenceProducers(transactionalIds).all());
        }
    }

    @Override
    public void trimControl(long belowOffset) {
        ask(
                "trim " + settings.controlTopic(),
                admin.deleteRecords(
                                Map.of(Topics.toClient(controlPartition()), RecordsToDelete.beforeOffset(belowOffset)))
                        .all());
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(1));
    }

    private TopicPartition controlPartition() {
        return new TopicPartition(settings.controlTopic(), 0);
    }

    private void ensureControlTopic() {
        if (hasControlTopic) {
            return;
        }
        var name = settings.controlTopic();
        if (topics.describe(List.of(name)).isEmpty()) {
            createTopic(
                    name,
                    1,
                    settings.controlReplication(),
                    Map.of("cleanup.policy", "delete", "retention.ms", "-1", "retention.bytes", "-1"));
        }
        var control = topics.describe(List.of(name)).get(name);
        if (control != null && (control.partitions() != 1 || control.cleanup().contains(CleanupPolicy.COMPACT))) {
            throw new ConfigurationException("Cannot use the control topic " + name + ": it has " + control.partitions()
                    + " partitions and the cleanup policy " + control.cleanup()
                    + "; it must have one partition and must not be compacted");
        }
        hasControlTopic = true;
    }

    private Consumer<byte[], byte[]> consumer(Map<String, Object> properties) {
        try {
            return clients.consumers().apply(properties);
        } catch (RuntimeException e) {
            throw ClientErrors.of("open a consumer", e);
        }
    }

    private Producer<byte[], byte[]> producer(Map<String, Object> properties) {
        try {
            return clients.producers().apply(properties);
        } catch (RuntimeException e) {
            throw ClientErrors.of("open a producer", e);
        }
    }

    private Producer<byte[], byte[]> transactional(Map<String, Object> properties, String transactionalId) {
        var producer = producer(properties);
        try {
            producer.initTransactions();
            return producer;
        } catch (RuntimeException e) {
            producer.close(Duration.ZERO);
            throw ClientErrors.of("open the transactional producer " + transactionalId, e);
        }
    }

    private static <T> T ask(String doing, KafkaFuture<T> answer) {
        return ClientTopicAdmin.ask(doing, answer);
    }

    private static long only(Map<TopicPartition, Long> offsets) {
        return offsets.values().iterator().next();
    }

    private static String names(Collection<TopicPartition> partitions) {
        var sorted = new ArrayList<>(partitions);
        sorted.sort(null);
        var some = sorted.stream().limit(10).map(TopicPartition::toString).collect(Collectors.joining(", "));
        return sorted.size() > 10 ? some + " and " + (sorted.size() - 10) + " more" : some;
    }
}
