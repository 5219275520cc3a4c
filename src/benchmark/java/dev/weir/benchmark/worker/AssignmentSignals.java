package dev.weir.benchmark.worker;

import dev.weir.benchmark.workload.Signals;
import dev.weir.benchmark.workload.Signals.Signal;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaClientSupplier;

/** The clients that Streams uses anyway, of which the main consumer tells when partitions are assigned to it. */
final class AssignmentSignals implements KafkaClientSupplier {

    @Override
    public Admin getAdmin(Map<String, Object> configuration) {
        return Admin.create(configuration);
    }

    @Override
    public Producer<byte[], byte[]> getProducer(Map<String, Object> configuration) {
        return new KafkaProducer<>(configuration, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public Consumer<byte[], byte[]> getConsumer(Map<String, Object> configuration) {
        return new TellingConsumer(configuration);
    }

    @Override
    public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> configuration) {
        return new KafkaConsumer<>(configuration, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> configuration) {
        return new KafkaConsumer<>(configuration, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static final class TellingConsumer extends KafkaConsumer<byte[], byte[]> {

        TellingConsumer(Map<String, Object> configuration) {
            super(configuration, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }

        @Override
        public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
            super.subscribe(topics, new TellingListener(listener));
        }
    }

    private record TellingListener(ConsumerRebalanceListener listener) implements ConsumerRebalanceListener {

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            if (!partitions.isEmpty()) {
                Signals.tell(Signal.ASSIGNED);
            }
            listener.onPartitionsAssigned(partitions);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            listener.onPartitionsRevoked(partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            listener.onPartitionsLost(partitions);
        }
    }
}
