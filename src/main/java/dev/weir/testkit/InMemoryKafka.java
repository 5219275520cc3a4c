package dev.weir.testkit;

import dev.weir.api.Headers;
import dev.weir.barrier.Marker;
import dev.weir.failure.ConfigurationException;
import dev.weir.kafka.CommittedPosition;
import dev.weir.kafka.KafkaCluster.CleanupPolicy;
import dev.weir.testkit.InMemoryKafkaCluster.Hazards;
import dev.weir.testkit.InMemoryLeadership.Election;
import dev.weir.testkit.InMemorySink.Outbox;
import dev.weir.testkit.PartitionLog.Payload;
import dev.weir.time.Clock;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The brokers of a Kafka cluster in memory: logs, transactions, groups. Two kinds: a <em>kind</em> one where everything happens at once,
 * for tests; and an unkind one for simulations, where records, transaction markers and rebalances land when {@link #progress} says so.
 */
public final class InMemoryKafka {

    private static final String CLUSTER_ID = "in-memory";

    private final Clock clock;
    private final BrokerSettings settings;
    private final RandomGenerator random;
    private final boolean kind;
    private final Map<String, Topic> topics = new LinkedHashMap<>();
    private final Map<String, Election> elections = new LinkedHashMap<>();
    private final List<InMemoryKafkaCluster> clients = new ArrayList<>();
    private final List<Outbox> outboxes = new ArrayList<>();
    private final List<Runnable> delayed = new ArrayList<>();
    private final GroupCoordinator groups;
    private final TransactionCoordinator transactions;
    private long nullKeys;

    private InMemoryKafka(Clock clock, BrokerSettings settings, RandomGenerator random, boolean kind) {
        this.clock = clock;
        this.settings = settings;
        this.random = random;
        this.kind = kind;
        this.groups = new GroupCoordinator(clock::millis, this::partitionsOf);
        this.transactions = new TransactionCoordinator(groups, clock::millis);
    }

    /** A cluster where all that is sent or asked for happens at once. */
    public static InMemoryKafka kind(Clock clock) {
        return new InMemoryKafka(clock, BrokerSettings.defaults(), new SplittableRandom(0), true);
    }

    /** A cluster where things happen late and in an order that the random numbers decide. */
    public static InMemoryKafka unkind(Clock clock, BrokerSettings settings, RandomGenerator random) {
        return new InMemoryKafka(clock, settings, random, false);
    }

    /** A topic. */
    private record Topic(String id, List<PartitionLog> logs, Set<CleanupPolicy> cleanup) {}

    /** One record as it stands in a log. */
    public record StoredRecord(
            long offset,
            long timestamp,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers,
            @Nullable Marker marker) {}

    /** Creates a topic that drops old records. */
    public void createTopic(String topic, int partitions) {
        createTopic(topic, partitions, Set.of(CleanupPolicy.DELETE));
    }

    /** Creates a topic. */
    public synchronized void createTopic(String topic, int partitions, Set<CleanupPolicy> cleanup) {
        List<PartitionLog> logs = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            logs.add(new PartitionLog(new TopicPartition(topic, i)));
        }
        if (topics.putIfAbsent(topic, new Topic("id-of-" + topic, logs, cleanup)) != null) {
            throw new IllegalArgumentException("Cannot create topic " + topic + ": it exists already");
        }
    }

    /** A client to which nothing ever happens, with the control topic of a domain. */
    public InMemoryKafkaCluster connect(String domain) {
        return connect(domain, Hazards.NONE);
    }

    synchronized InMemoryKafkaCluster connect(String domain, Hazards hazards) {
        var client = new InMemoryKafkaCluster(this, domain, hazards);
        clients.add(client);
        return client;
    }

    synchronized void disconnect(InMemoryKafkaCluster client) {
        clients.remove(client);
    }

    /** Appends a record outside of any transaction. */
    public synchronized long produce(
            TopicPartition partition, byte @Nullable [] key, byte @Nullable [] value, Headers headers, long timestamp) {
        return log(partition).append(Payload.of(key, value, headers, timestamp));
    }

    /** What a read_committed consumer can see of a partition now. */
    public List<StoredRecord> committedRecords(TopicPartition partition) {
        return committedRecords(partition, stableEnd(partition));
    }

    /** What is committed in a partition, what stands behind an open transaction too. */
    public List<StoredRecord> allCommittedRecords(TopicPartition partition) {
        return committedRecords(partition, end(partition));
    }

    private synchronized List<StoredRecord> committedRecords(TopicPartition partition, long end) {
        var log = log(partition);
        List<StoredRecord> records = new ArrayList<>();
        for (long offset = log.start(); offset < end; offset++) {
            var payload = log.entry(offset).payload();
            if (payload != null && PartitionLog.isCommitted(log.entry(offset))) {
                records.add(new StoredRecord(
                        offset,
                        payload.timestamp(),
                        payload.key(),
                        payload.value(),
                        payload.headers(),
                        payload.marker()));
            }
        }
        return records;
    }

    /** The positions of a group as far as their transactions have ended, whatever is pending. */
    public synchronized Map<TopicPartition, CommittedPosition> committedPositions(String group) {
        return groups.positions(groups.group(group));
    }

    /** Sets a group's position as an operator's tool would. */
    public synchronized void setPosition(String group, TopicPartition partition, CommittedPosition position) {
        groups.setPosition(groups.group(group), partition, position);
    }

    /** Deletes a group's position as an operator's tool, or their expiry, would. */
    public synchronized void clearPosition(String group, TopicPartition partition) {
        groups.clearPosition(groups.group(group), partition);
    }

    /** Deletes a partition's records below an offset. */
    public synchronized void deleteRecords(TopicPartition partition, long below) {
        log(partition).deleteBelow(below);
    }

    /** Where a partition ends, open transactions not waited for. */
    public synchronized long end(TopicPartition partition) {
        return log(partition).end();
    }

    /** Up to where a read_committed consumer can read a partition. */
    public synchronized long stableEnd(TopicPartition partition) {
        return log(partition).stableEnd();
    }

    /**
     * Lets one thing happen that is under way: some records of a producer are delivered, a transaction marker is written, a rebalance ends,
     * a delayed request arrives. Which one is random.
     *
     * @return false if nothing is under way
     */
    public synchronized boolean progress() {
        int deliverable = 0;
        for (var outbox : outboxes) {
            deliverable += outbox.canDeliver() ? 1 : 0;
        }
        int completable = 0;
        for (var group : groups.groups()) {
            completable += groups.canComplete(group) ? 1 : 0;
        }
        int ending = transactions.ending().size();
        int all = deliverable + completable + ending + delayed.size();
        if (all == 0) {
            return false;
        }
        int which = random.nextInt(all);
        if (which < deliverable) {
            deliver(which);
        } else if (which < deliverable + ending) {
            var producer = transactions.ending().get(which - deliverable);
            transactions.land(producer, random.nextInt(transactions.markersLeft(producer)));
        } else if (which < deliverable + ending + completable) {
            complete(which - deliverable - ending);
        } else {
            delayed.remove(which - deliverable - ending - completable).run();
        }
        return true;
    }

    private void deliver(int which) {
        int left = which;
        for (var outbox : outboxes) {
            if (outbox.canDeliver() && left-- == 0) {
                outbox.deliverSome(random);
                return;
            }
        }
    }

    private void complete(int which) {
        int left = which;
        for (var group : groups.groups()) {
            if (groups.canComplete(group) && left-- == 0) {
                groups.complete(group);
                return;
            }
        }
    }

    /** Does what is due by the clock: heartbeats of the living, then expiry of sessions and transactions. To be called when it has moved. */
    public synchronized void tick() {
        for (var client : clients) {
            client.beat();
        }
        groups.expire(
                settings.sessionTimeout().toMillis(), settings.maxPollInterval().toMillis());
        transactions.expire(settings.transactionTimeout().toMillis());
        elections.values().forEach(election -> election.expire(settings.sessionTimeout()));
        if (kind) {
            settle();
        }
    }

    /** Lets everything happen that is under way. */
    public synchronized void settle() {
        boolean more = true;
        while (more) {
            more = progress();
        }
    }

    // ---- for the clients; each call is one thing that a broker does at once

    boolean isKind() {
        return kind;
    }

    Clock clock() {
        return clock;
    }

    BrokerSettings settings() {
        return settings;
    }

    RandomGenerator random() {
        return random;
    }

    GroupCoordinator groups() {
        return groups;
    }

    TransactionCoordinator transactions() {
        return transactions;
    }

    String clusterId() {
        return CLUSTER_ID;
    }

    void later(Runnable action) {
        delayed.add(action);
    }

    Outbox openOutbox(String transactionalId) {
        outboxes.removeIf(outbox -> outbox.isEmpty() && outbox.isFenced());
        var outbox = new Outbox(transactions, transactions.open(transactionalId, true));
        outboxes.add(outbox);
        return outbox;
    }

    void closeOutbox(Outbox outbox) {
        if (kind) {
            outbox.clear();
        } else {
            outbox.cut(random);
        }
        if (outbox.isEmpty()) {
            outboxes.remove(outbox);
        }
    }

    Election election(String domain) {
        return elections.computeIfAbsent(domain, d -> new Election(clock::millis));
    }

    PartitionLog controlLog(String domain) {
        String topic = domain + ".control";
        if (!topics.containsKey(topic)) {
            createTopic(topic, 1);
        }
        return log(new TopicPartition(topic, 0));
    }

    int partitionsOf(String topic) {
        var description = topics.get(topic);
        return description == null ? 0 : description.logs().size();
    }

    @Nullable
    String topicId(String topic) {
        var description = topics.get(topic);
        return description == null ? null : description.id();
    }

    Set<CleanupPolicy> cleanup(String topic) {
        var description = topics.get(topic);
        return description == null ? Set.of() : description.cleanup();
    }

    PartitionLog log(TopicPartition partition) {
        var topic = topics.get(partition.topic());
        if (topic == null || partition.partition() >= topic.logs().size()) {
            throw new ConfigurationException(
                    "Cannot use partition " + partition + ": there is no such partition, create the topic");
        }
        return topic.logs().get(partition.partition());
    }

    PartitionLog logFor(String topic, byte @Nullable [] key) {
        int partitions = Math.max(1, partitionsOf(topic));
        int partition =
                key == null ? (int) Math.floorMod(nullKeys++, (long) partitions) : KeyPartitions.of(key, partitions);
        return log(new TopicPartition(topic, partition));
    }
}
