package dev.weir.kafka;

import static java.util.Map.entry;

import dev.weir.failure.ConfigurationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * How Kafka's clients are set up. The user's own client properties are kept, but for those on which correctness rests: these are
 * overridden, and {@link #conflicts()} names them.
 *
 * @param domain the domain's name
 * @param controlTopic the control topic's name
 * @param consumer the user's properties for consumers
 * @param producer the user's properties for producers
 * @param admin the user's properties for admin clients
 * @param timeouts timeouts
 * @param fetch how much is read at once
 * @param controlReplication the replication factor for creating the control topic, −1 for the broker's default
 */
public record ClusterSettings(
        String domain,
        String controlTopic,
        Map<String, Object> consumer,
        Map<String, Object> producer,
        Map<String, Object> admin,
        Timeouts timeouts,
        Fetch fetch,
        short controlReplication) {

    private static final String NAME = "[a-zA-Z0-9._-]{1,200}";

    /** Checks itself. */
    public ClusterSettings {
        if (!domain.matches(NAME)) {
            throw new ConfigurationException("Cannot use the domain name \"" + domain
                    + "\": it must be 1 to 200 letters, digits, dots, dashes or underscores");
        }
        if (!controlTopic.matches(NAME)) {
            throw new ConfigurationException("Cannot use the control topic's name \"" + controlTopic
                    + "\": it must be 1 to 200 letters, digits, dots, dashes or underscores");
        }
        if (controlReplication != -1 && controlReplication < 1) {
            throw new ConfigurationException("Cannot replicate the control topic " + controlReplication
                    + " times: the replication factor must be at least 1, or -1 for the broker's default");
        }
        consumer = Map.copyOf(consumer);
        producer = Map.copyOf(producer);
        admin = Map.copyOf(admin);
    }

    /** Defaults, with the same client properties for all kinds of clients. */
    public static ClusterSettings of(String domain, Map<String, Object> clients) {
        return new ClusterSettings(
                domain,
                "weir." + domain + ".control",
                clients,
                clients,
                clients,
                Timeouts.defaults(),
                Fetch.defaults(),
                (short) -1);
    }

    /** The same with other timeouts. */
    public ClusterSettings withTimeouts(Timeouts other) {
        return new ClusterSettings(domain, controlTopic, consumer, producer, admin, other, fetch, controlReplication);
    }

    /** The group in which the leading coordinator is elected, and the transactional id with which it writes. */
    String coordinatorId() {
        return "weir." + domain + ".coordinator";
    }

    /** One sentence for each of the user's properties that contradicts what correctness needs. Weir's own value is used in any case. */
    public List<String> conflicts() {
        var conflicts = new ArrayList<String>();
        check(
                conflicts,
                consumer,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                "aborted records would be read");
        check(
                conflicts,
                consumer,
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                "false",
                "positions are committed with the state");
        check(
                conflicts,
                consumer,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "none",
                "a lost position would be replaced silently; weir.start-from says where a new task starts");
        check(
                conflicts,
                consumer,
                ConsumerConfig.GROUP_PROTOCOL_CONFIG,
                "classic",
                "tasks are assigned by Weir's own assignor");
        check(
                conflicts,
                consumer,
                ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                CoPartitionedAssignor.class.getName(),
                "all inputs of a task must be on one member, handed over cooperatively");
        check(conflicts, producer, ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true", "records could be written twice");
        var acks = producer.get(ProducerConfig.ACKS_CONFIG);
        if (acks != null && !text(acks).equals("all") && !text(acks).equals("-1")) {
            conflicts.add(sentence(ProducerConfig.ACKS_CONFIG, acks, "all", "acknowledged records could be lost"));
        }
        return List.copyOf(conflicts);
    }

    Map<String, Object> sourceProperties(KafkaCluster.SourceSettings source, Membership membership) {
        var properties = new HashMap<>(consumer);
        properties.putIfAbsent(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, fetch.minBytes());
        properties.putIfAbsent(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, millis(fetch.maxWait()));
        properties.putIfAbsent(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, fetch.maxBytes());
        properties.putIfAbsent(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, fetch.partitionBytes());
        properties.putIfAbsent(ConsumerConfig.RECEIVE_BUFFER_CONFIG, fetch.receiveBuffer());
        properties.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, fetch.maxPollRecords());
        properties.putAll(readerProperties());
        properties.put(ConsumerConfig.GROUP_ID_CONFIG, source.group());
        properties.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, source.memberInstance());
        properties.put(CommonClientConfigs.CLIENT_ID_CONFIG, source.memberInstance());
        properties.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic");
        properties.put(
                ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, List.of(CoPartitionedAssignor.class.getName()));
        properties.put(CoPartitionedAssignor.MEMBERSHIP, membership);
        properties.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, millis(timeouts.session()));
        // A member learns of a rebalance by its next heartbeat, so this bounds how long a hand-over takes.
        properties.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, Math.min(1_000, millis(timeouts.session()) / 4));
        properties.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, millis(timeouts.maxPollInterval()));
        return properties;
    }

    /** For a consumer that is no member of a group. */
    Map<String, Object> assignedReaderProperties(String clientId) {
        var properties = new HashMap<>(consumer);
        properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
        properties.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
        properties.remove(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);
        properties.putAll(readerProperties());
        properties.put(CommonClientConfigs.CLIENT_ID_CONFIG, clientId);
        return properties;
    }

    Map<String, Object> leadershipProperties() {
        var properties = assignedReaderProperties(coordinatorId());
        properties.put(ConsumerConfig.GROUP_ID_CONFIG, coordinatorId());
        properties.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic");
        properties.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 10_000);
        properties.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 1_000);
        properties.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, 30_000);
        return properties;
    }

    Map<String, Object> sinkProperties(String transactionalId) {
        return transactional(transactionalId, timeouts.transaction(), timeouts.request());
    }

    Map<String, Object> leaderWriterProperties() {
        return transactional(coordinatorId(), Duration.ofSeconds(10), Duration.ofSeconds(4));
    }

    /** For an idempotent producer without transactions. */
    Map<String, Object> plainProducerProperties(String clientId) {
        var properties = producerProperties(clientId);
        properties.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        properties.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        bound(properties, timeouts.request().multipliedBy(2), timeouts.request());
        return properties;
    }

    private Map<String, Object> transactional(String transactionalId, Duration transaction, Duration request) {
        var properties = producerProperties(transactionalId);
        properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
        properties.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, millis(transaction));
        bound(properties, transaction.multipliedBy(3).dividedBy(4), request);
        return properties;
    }

    private Map<String, Object> producerProperties(String clientId) {
        var properties = new HashMap<>(producer);
        properties.putIfAbsent(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
        // Nothing is visible before the commit, which flushes: waiting for full batches delays nobody.
        properties.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 50);
        properties.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, 128 * 1024);
        properties.putAll(Map.ofEntries(
                entry(CommonClientConfigs.CLIENT_ID_CONFIG, clientId),
                entry(ProducerConfig.ACKS_CONFIG, "all"),
                entry(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true),
                entry(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class),
                entry(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class)));
        return properties;
    }

    private static void bound(Map<String, Object> properties, Duration delivery, Duration request) {
        properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, millis(request));
        properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, millis(request));
        properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, millis(delivery));
        properties.computeIfPresent(
                ProducerConfig.LINGER_MS_CONFIG,
                (name, linger) -> Math.min(
                        Long.parseLong(text(linger)), delivery.minus(request).toMillis()));
    }

    private Map<String, Object> readerProperties() {
        return Map.of(
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "none",
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                millis(timeouts.request()),
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                millis(timeouts.request()));
    }

    Map<String, Object> adminProperties() {
        var properties = new HashMap<>(admin);
        properties.putIfAbsent(CommonClientConfigs.CLIENT_ID_CONFIG, "weir." + domain + ".admin");
        properties.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, millis(timeouts.request()));
        properties.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, millis(timeouts.request()));
        return properties;
    }

    private static void check(
            List<String> conflicts, Map<String, Object> properties, String name, String wanted, String reason) {
        var value = properties.get(name);
        if (value != null && !text(value).equals(text(wanted))) {
            conflicts.add(sentence(name, value, wanted, reason));
        }
    }

    private static String sentence(String name, Object value, String wanted, String reason) {
        return "Cannot use " + name + "=" + text(value) + ": it must be " + wanted + ", or " + reason
                + "; remove it from the Kafka client properties";
    }

    private static String text(Object value) {
        var plain = value instanceof Class<?> type
                ? type.getName()
                : value.toString().trim();
        return plain.contains(".") ? plain : plain.toLowerCase(Locale.ROOT);
    }

    private static int millis(Duration duration) {
        return Math.toIntExact(duration.toMillis());
    }

    /**
     * Timeouts.
     *
     * @param transaction after which the broker aborts a transaction that its producer does not end; at least 3 s
     * @param commitDeadline for how long a commit without an answer is tried again before its outcome is given up as unknown
     * @param maxPollInterval the longest time between two polls of a source before it loses its partitions
     * @param session after which a member that does not send heartbeats loses its partitions
     * @param request for one request, and for blocking calls of the clients; at most half of {@code transaction}
     */
    public record Timeouts(
            Duration transaction,
            Duration commitDeadline,
            Duration maxPollInterval,
            Duration session,
            Duration request) {

        /** Checks itself. */
        public Timeouts {
            if (transaction.toMillis() < 3_000 || transaction.compareTo(Duration.ofHours(24)) > 0) {
                throw new ConfigurationException("Cannot use a transaction timeout of " + transaction
                        + ": it must be between 3 seconds and 24 hours");
            }
            if (request.toMillis() < 100 || request.multipliedBy(2).compareTo(transaction) > 0) {
                throw new ConfigurationException("Cannot use a request timeout of " + request
                        + ": it must be at least 100 ms and at most half of the transaction timeout of " + transaction);
            }
            if (commitDeadline.isNegative() || commitDeadline.isZero()) {
                throw new ConfigurationException(
                        "Cannot use a commit deadline of " + commitDeadline + ": it must be positive");
            }
            if (session.toMillis() < 1_000 || session.compareTo(maxPollInterval) > 0) {
                throw new ConfigurationException("Cannot use a session timeout of " + session
                        + ": it must be at least 1 second and at most the poll interval of " + maxPollInterval);
            }
            if (maxPollInterval.compareTo(Duration.ofHours(24)) > 0) {
                throw new ConfigurationException(
                        "Cannot use a longest poll interval of " + maxPollInterval + ": it must be at most 24 hours");
            }
        }

        /** Transactions 60 s, commit 30 s, poll interval 5 min, session 45 s, requests 15 s. */
        public static Timeouts defaults() {
            return new Timeouts(
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(45),
                    Duration.ofSeconds(15));
        }
    }

    /**
     * How much a source reads at once; the user's own consumer properties go before these.
     *
     * @param maxPollRecords records that one poll returns at most
     * @param minBytes bytes that a broker gathers before it answers
     * @param maxWait how long it gathers them at most
     * @param maxBytes bytes of one answer
     * @param partitionBytes bytes of one partition in an answer
     * @param receiveBuffer bytes of the socket's receive buffer, −1 for the system's default
     */
    public record Fetch(
            int maxPollRecords, int minBytes, Duration maxWait, int maxBytes, int partitionBytes, int receiveBuffer) {

        /** Checks itself. */
        public Fetch {
            if (maxPollRecords < 1 || minBytes < 0 || maxBytes < 1 || partitionBytes < 1 || receiveBuffer < -1) {
                throw new ConfigurationException("Cannot fetch with " + maxPollRecords + " records a poll, " + minBytes
                        + " bytes at least, " + maxBytes + " bytes at most, " + partitionBytes
                        + " bytes a partition and a"
                        + " receive buffer of " + receiveBuffer + " bytes: they must be positive");
            }
            if (maxWait.isNegative() || maxWait.compareTo(Duration.ofMinutes(1)) > 0) {
                throw new ConfigurationException(
                        "Cannot let a fetch wait for " + maxWait + ": it must be between 0 and 1 minute");
            }
        }

        /** 2000 records a poll, 1 byte at least, 100 ms wait, 50 MiB an answer, 1 MiB a partition, 1 MiB receive buffer. */
        public static Fetch defaults() {
            return new Fetch(2_000, 1, Duration.ofMillis(100), 50 << 20, 1 << 20, 1 << 20);
        }
    }
}
