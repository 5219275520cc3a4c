package dev.weir.kafka;

import dev.weir.barrier.Marker;
import dev.weir.barrier.MarkerCodec;
import dev.weir.failure.TransientException;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.internals.RecordHeader;

/** Writes markers with an idempotent producer. After a failure some may be written: a marker met twice does no harm. */
final class ClientMarkerWriter implements MarkerWriter {

    private final Producer<byte[], byte[]> producer;

    ClientMarkerWriter(Producer<byte[], byte[]> producer) {
        this.producer = producer;
    }

    @Override
    public Map<TopicPartition, Long> write(Marker marker, Set<TopicPartition> partitions) {
        var header = new RecordHeader(MarkerCodec.HEADER, MarkerCodec.encode(marker));
        var doing = "write the markers of checkpoint " + marker.checkpoint();
        var sent = new HashMap<TopicPartition, Future<RecordMetadata>>();
        var offsets = new HashMap<TopicPartition, Long>();
        try {
            partitions.forEach(partition -> sent.put(
                    partition,
                    producer.send(new ProducerRecord<>(
                            partition.topic(),
                            partition.partition(),
                            MarkerCodec.key(),
                            MarkerCodec.value(),
                            List.of(header)))));
            producer.flush();
            for (var each : sent.entrySet()) {
                offsets.put(each.getKey(), each.getValue().get().offset());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TransientException("Cannot " + doing + ": interrupted; it can be tried again", e);
        } catch (java.util.concurrent.ExecutionException | RuntimeException e) {
            throw ClientErrors.of(doing, e);
        }
        return Map.copyOf(offsets);
    }

    @Override
    public void close() {
        producer.close(Duration.ZERO);
    }
}
