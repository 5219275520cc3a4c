package dev.weir.testkit;

import dev.weir.api.Headers;
import dev.weir.barrier.Marker;
import dev.weir.kafka.Records;
import dev.weir.topology.TopicPartition;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Entries of a log as a consumer sees them. */
record InMemoryRecords(TopicPartition partition, List<PartitionLog.Entry> entries, long nextOffset) implements Records {

    @Override
    public int size() {
        return entries.size();
    }

    @Override
    public long offset(int index) {
        return entries.get(index).offset();
    }

    @Override
    public long timestamp(int index) {
        return payload(index).timestamp();
    }

    @Override
    public byte @Nullable [] key(int index) {
        return payload(index).key();
    }

    @Override
    public byte @Nullable [] value(int index) {
        return payload(index).value();
    }

    @Override
    public Headers headers(int index) {
        return payload(index).headers();
    }

    @Override
    public @Nullable Marker marker(int index) {
        return payload(index).marker();
    }

    private PartitionLog.Payload payload(int index) {
        return Objects.requireNonNull(entries.get(index).payload());
    }
}
