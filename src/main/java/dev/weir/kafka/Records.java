package dev.weir.kafka;

import dev.weir.api.Headers;
import dev.weir.barrier.Marker;
import dev.weir.topology.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Records of one partition as polled, by index, in the order of their offsets; nothing is decoded or copied until it is asked for. */
public interface Records {

    TopicPartition partition();

    int size();

    long offset(int index);

    /** Milliseconds since the Unix epoch, or −1. */
    long timestamp(int index);

    byte @Nullable [] key(int index);

    byte @Nullable [] value(int index);

    Headers headers(int index);

    /** The marker that the record is, of whatever domain or cluster, or null if it is none. Decided by its header alone. */
    @Nullable
    Marker marker(int index);

    /** The source's position behind this batch: past its last record and the transaction markers that follow it. */
    long nextOffset();
}
