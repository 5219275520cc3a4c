package dev.weir.kafka;

import dev.weir.topology.TopicPartition;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Between Weir's partitions and those of Kafka's clients. */
final class Topics {

    private Topics() {}

    static org.apache.kafka.common.TopicPartition toClient(TopicPartition partition) {
        return new org.apache.kafka.common.TopicPartition(partition.topic(), partition.partition());
    }

    static List<org.apache.kafka.common.TopicPartition> toClient(Collection<TopicPartition> partitions) {
        return partitions.stream().map(Topics::toClient).toList();
    }

    static TopicPartition fromClient(org.apache.kafka.common.TopicPartition partition) {
        return new TopicPartition(partition.topic(), partition.partition());
    }

    static Set<TopicPartition> fromClient(Collection<org.apache.kafka.common.TopicPartition> partitions) {
        return partitions.stream().map(Topics::fromClient).collect(Collectors.toUnmodifiableSet());
    }
}
