package dev.weir.kafka;

import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** A member of a consumer group. Used by one thread. Reads committed records only and never resets a position by itself. */
public interface Source extends AutoCloseable {

    /**
     * Polls; takes part in rebalances (calling the listener) even if everything is paused.
     *
     * @return at most one item a partition
     * @throws dev.weir.failure.StoppedException if a position is out of the partition's range (records were deleted before they were read)
     */
    List<Records> poll(Duration atMost);

    /** Stops fetching from partitions until they are resumed; what was fetched and not returned is returned after that. */
    void pause(Collection<TopicPartition> partitions);

    /** Undoes {@link #pause}. */
    void resume(Collection<TopicPartition> partitions);

    /** The next poll returns records of the partition from this offset on. */
    void seek(TopicPartition partition, long offset);

    /**
     * The offset of the next record that poll will return, gaps of transaction markers passed; −1 if it is not known just now. Does not
     * wait for the broker.
     */
    long position(TopicPartition partition);

    /** The partition's end as known from the last fetch, or −1. For lag. */
    long knownEnd(TopicPartition partition);

    /** What is owned now. */
    Set<TopicPartition> owned();

    /** The membership now. */
    GroupMember member();

    /** Whether a rebalance has begun that has not ended yet, as far as this member knows. */
    boolean isRebalancing();

    /** Leaves the group for good (the partitions move at once), calling the listener for what is owned, and closes. */
    void leave(Duration atMost);

    /** Closes and stays a member until the session times out, so that a restart under the same instance id gets the same partitions. */
    @Override
    void close();
}
