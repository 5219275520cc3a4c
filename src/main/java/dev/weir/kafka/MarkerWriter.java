package dev.weir.kafka;

import dev.weir.barrier.Marker;
import dev.weir.topology.TopicPartition;
import java.util.Map;
import java.util.Set;

/** Writes markers, outside of any transaction. */
public interface MarkerWriter extends AutoCloseable {

    /**
     * Writes the marker into every one of the partitions and waits until all are written.
     *
     * @return the offset of the marker in each
     */
    Map<TopicPartition, Long> write(Marker marker, Set<TopicPartition> partitions);

    @Override
    void close();
}
