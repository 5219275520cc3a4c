package dev.weir.benchmark.worker;

import dev.weir.benchmark.workload.Settings;
import dev.weir.benchmark.workload.Signals;
import dev.weir.benchmark.workload.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The work on bare Kafka clients: poll, update, send, and a transaction every so often. Its state is lost with it, so it is the ceiling
 * for all that is built on these clients, and no rival. Settings: store (heap or rocks), visible (ms), threads, statebytes; any below
 * {@code producer.} or {@code consumer.} is one of these clients.
 */
public final class BareWorker {

    private final String out;
    private final long intervalNanos;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final KafkaProducer<byte[], byte[]> producer;
    private final BareState state;
    private final Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();

    private BareWorker(Settings settings, int thread, int threads) {
        out = settings.get("out");
        intervalNanos = settings.number("visible", 1000) * 1_000_000L;
        state = BareState.of(settings, thread);
        Map<String, Object> producing = new HashMap<>(Map.of(
                "bootstrap.servers",
                settings.get("bootstrap"),
                "transactional.id",
                settings.get("run") + "-" + thread,
                "batch.size",
                256 << 10,
                "linger.ms",
                20,
                "buffer.memory",
                64L << 20));
        producing.putAll(settings.below("producer."));
        Map<String, Object> consuming = new HashMap<>(Map.of(
                "bootstrap.servers",
                settings.get("bootstrap"),
                "group.id",
                settings.get("run"),
                "enable.auto.commit",
                false,
                "auto.offset.reset",
                "earliest",
                "isolation.level",
                "read_committed",
                "max.poll.records",
                4000));
        consuming.putAll(settings.below("consumer."));
        producer = new KafkaProducer<>(producing, new ByteArraySerializer(), new ByteArraySerializer());
        consumer = new KafkaConsumer<>(consuming, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.assign(IntStream.range(0, Workload.PARTITIONS)
                .filter(partition -> partition % threads == thread)
                .mapToObj(partition -> new TopicPartition(settings.get("in"), partition))
                .toList());
    }

    /** Takes settings. */
    public static void main(String[] arguments) {
        var settings = Settings.of(arguments);
        int threads = settings.number("threads", 1);
        for (int i = 0; i < threads; i++) {
            int thread = i;
            new Thread(() -> new BareWorker(settings, thread, threads).run(), "bare-" + i).start();
        }
    }

    private void run() {
        producer.initTransactions();
        List<ConsumerRecord<byte[], byte[]>> batch = new ArrayList<>();
        long began = 0;
        while (true) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(10));
            if (!records.isEmpty()) {
                Signals.record();
                if (offsets.isEmpty()) {
                    producer.beginTransaction();
                    began = System.nanoTime();
                }
                batch.clear();
                records.forEach(batch::add);
                process(batch);
                offsets.putAll(records.nextOffsets());
            }
            if (!offsets.isEmpty() && System.nanoTime() - began >= intervalNanos) {
                producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
                producer.commitTransaction();
                offsets.clear();
            }
        }
    }

    private void process(List<ConsumerRecord<byte[], byte[]>> batch) {
        state.prepare(batch);
        for (ConsumerRecord<byte[], byte[]> record : batch) {
            byte[] total = state.update(record.key(), Workload.amount(record.value()));
            var unused = producer.send(
                    new ProducerRecord<>(out, record.partition(), record.timestamp(), record.key(), total));
        }
        state.written();
    }
}
