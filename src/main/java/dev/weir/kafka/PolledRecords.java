package dev.weir.kafka;

import dev.weir.api.Headers;
import dev.weir.barrier.Marker;
import dev.weir.barrier.MarkerCodec;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** The client's records of one partition, as they are. */
record PolledRecords(TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> list, long nextOffset)
        implements Records {

    @Override
    public int size() {
        return list.size();
    }

    @Override
    public long offset(int index) {
        return list.get(index).offset();
    }

    @Override
    public long timestamp(int index) {
        return list.get(index).timestamp();
    }

    @Override
    public byte @Nullable [] key(int index) {
        return list.get(index).key();
    }

    @Override
    public byte @Nullable [] value(int index) {
        return list.get(index).value();
    }

    @Override
    public Headers headers(int index) {
        return headers(list.get(index).headers());
    }

    @Override
    public @Nullable Marker marker(int index) {
        var marker = list.get(index).headers().lastHeader(MarkerCodec.HEADER);
        return marker == null ? null : MarkerCodec.decode(marker.value());
    }

    private static Headers headers(org.apache.kafka.common.header.Headers client) {
        var headers = new ArrayList<Headers.Header>();
        client.forEach(header -> headers.add(new Headers.Header(header.key(), header.value())));
        return Headers.of(headers);
    }
}
