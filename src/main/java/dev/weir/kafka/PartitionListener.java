package dev.weir.kafka;

import dev.weir.topology.TopicPartition;
import java.util.Set;

/** Is told of changes to what a {@link Source} owns; called on the thread that polls, from inside {@link Source#poll} or
 * {@link Source#leave}; never by {@link Source#close}, as nothing changes hands then. */
public interface PartitionListener {

    /** These partitions were added. They are paused and have no position; the owner seeks and resumes them. */
    void onAssigned(Set<TopicPartition> partitions);

    /** These partitions will go to another member when this returns; they can still be committed now. */
    void onRevoked(Set<TopicPartition> partitions);

    /** These partitions belong to somebody else already; nothing of them can be committed. */
    void onLost(Set<TopicPartition> partitions);
}
