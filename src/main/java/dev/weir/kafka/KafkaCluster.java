package dev.weir.kafka;

import dev.weir.topology.TopicPartition;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All that is asked of a Kafka cluster. Every method may block up to the client's own timeouts and throws
 *
 * <ul>
 *   <li>{@link dev.weir.failure.TransientException} when brokers do not answer or refuse for now;
 *   <li>{@link dev.weir.failure.FencedException} when another instance of the same id has taken over;
 *   <li>{@link dev.weir.failure.ConfigurationException} when it is refused for good: no permission, no such topic.
 * </ul>
 */
public interface KafkaCluster extends AutoCloseable {

    /** The cluster's id. */
    String clusterId();

    /** What is known of a topic: its number of partitions, its id, whether it is compacted. Absent topics are left out. */
    Map<String, TopicDescription> describeTopics(Collection<String> topics);

    /** Opens a member of a consumer group; it joins in {@link Source#poll}. */
    Source openSource(SourceSettings settings, PartitionListener listener);

    /**
     * Opens a transactional producer. When this returns, no earlier producer of the same id can commit any more and what it left open
     * is aborted, or committed if its commit had been accepted.
     */
    TransactionalSink openSink(String transactionalId);

    /** Opens a reader of the control topic, from its beginning. */
    ControlReader openControlReader();

    /** Opens a plain writer to the control topic. */
    ControlWriter openControlWriter();

    /**
     * Opens the leading coordinator's writer to the control topic: each call of {@link ControlWriter#append} is one transaction, all or
     * nothing, and an earlier leader's writer is fenced for good.
     */
    ControlWriter openLeaderWriter();

    /** Joins the election of the leading coordinator. */
    Leadership openLeadership();

    /** Opens a writer of markers. */
    MarkerWriter openMarkerWriter();

    /** Where the partitions end now (the next offset to be written), open transactions not waited for. */
    Map<TopicPartition, Long> endOffsets(Set<TopicPartition> partitions);

    /** Where the partitions begin now. */
    Map<TopicPartition, Long> beginningOffsets(Set<TopicPartition> partitions);

    /** For each partition the first offset whose timestamp is at or after the given one; the end offset where there is none. */
    Map<TopicPartition, Long> offsetsAt(Set<TopicPartition> partitions, long timestampMillis);

    /**
     * The committed positions of a group, of the partitions that have one. A stable read: it waits for pending transactions and throws
     * {@link dev.weir.failure.TransientException} if they do not end in time.
     */
    Map<TopicPartition, CommittedPosition> committed(String group, Set<TopicPartition> partitions);

    /** The {@code group.instance.id}s of a group's members now. Empty for a group without members. */
    Set<String> memberInstances(String group);

    /** Aborts whatever producers of these ids left open, and fences them. */
    void fence(List<String> transactionalIds);

    /** Deletes the control topic's records below an offset. */
    void trimControl(long belowOffset);

    @Override
    void close();

    /** What is known of a topic. */
    record TopicDescription(String topic, int partitions, String topicId, Set<CleanupPolicy> cleanup) {}

    /** How a topic drops old records. */
    enum CleanupPolicy {
        DELETE,
        COMPACT
    }

    /**
     * How to join a group.
     *
     * @param group the group
     * @param memberInstance the {@code group.instance.id}
     * @param topics the topics to read
     * @param ownedHint tasks' partition numbers whose files are on this worker's disk, which the assignor prefers to give it
     */
    record SourceSettings(String group, String memberInstance, List<String> topics, Set<Integer> ownedHint) {}
}
