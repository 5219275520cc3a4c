package dev.weir.testkit;

import dev.weir.api.Headers;
import dev.weir.barrier.Marker;
import dev.weir.barrier.MarkerCodec;
import dev.weir.failure.TransientException;
import dev.weir.kafka.MarkerWriter;
import dev.weir.testkit.FaultPlan.Fault;
import dev.weir.testkit.PartitionLog.Payload;
import dev.weir.topology.TopicPartition;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Writes markers; when it fails, some are written and some come later. */
final class InMemoryMarkerWriter implements MarkerWriter {

    private final InMemoryKafkaCluster cluster;
    private final InMemoryKafka kafka;

    InMemoryMarkerWriter(InMemoryKafkaCluster cluster) {
        this.cluster = cluster;
        this.kafka = cluster.kafka();
    }

    @Override
    public Map<TopicPartition, Long> write(Marker marker, Set<TopicPartition> partitions) {
        cluster.call("write markers");
        var headers = Headers.none().with(MarkerCodec.HEADER, MarkerCodec.encode(marker));
        var payload = Payload.of(
                MarkerCodec.key(), MarkerCodec.value(), headers, kafka.clock().wallMillis());
        if (cluster.happens(Fault.PARTIAL_MARKERS)) {
            writeSome(payload, partitions);
            throw new TransientException("Cannot write markers of checkpoint " + marker.checkpoint()
                    + ": some partitions did not answer, try again");
        }
        Map<TopicPartition, Long> offsets = new TreeMap<>();
        for (var partition : new TreeSet<>(partitions)) {
            synchronized (kafka) {
                offsets.put(partition, kafka.log(partition).append(payload));
            }
            cluster.reach("marker written");
        }
        return offsets;
    }

    private void writeSome(Payload payload, Set<TopicPartition> partitions) {
        for (var partition : new TreeSet<>(partitions)) {
            var log = kafka.log(partition);
            switch (kafka.random().nextInt(3)) {
                case 0 -> log.append(payload);
                case 1 -> kafka.later(() -> log.append(payload));
                default -> {}
            }
        }
    }

    @Override
    public void close() {}
}
