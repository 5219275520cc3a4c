package dev.weir.kafka;

import java.util.Map;

/** What a check before the start needs of the brokers, beyond {@link KafkaCluster}. Errors are as there. */
public interface TopicAdmin {

    /** The cluster's id. */
    String clusterId();

    /**
     * Creates a topic and waits until it is known to the brokers, which need not be so at once.
     *
     * @param replication the replication factor, −1 for the brokers' default
     * @return false if there is one of this name already
     */
    boolean createTopic(String topic, int partitions, short replication, Map<String, String> configs);

    /** The brokers' settings. */
    BrokerSettings brokerSettings();

    /** Whether this client may write to a topic. */
    Permission writePermission(String topic);

    /**
     * What of the brokers' settings bounds ours.
     *
     * @param maxTransactionTimeoutMillis the longest {@code transaction.timeout.ms}, milliseconds
     * @param minSessionMillis the shortest {@code session.timeout.ms}, milliseconds
     * @param maxSessionMillis the longest {@code session.timeout.ms}, milliseconds
     * @param transactionVersion the finalized feature {@code transaction.version}, 0 if there is none
     */
    record BrokerSettings(
            long maxTransactionTimeoutMillis, long minSessionMillis, long maxSessionMillis, int transactionVersion) {}

    /** An answer on permissions; brokers do not always tell. */
    enum Permission {
        GRANTED,
        DENIED,
        UNKNOWN
    }
}
