package dev.weir.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** Reads committed records while the faults happen, and remembers every one that it was shown. */
final class Observer implements AutoCloseable {

    /** A record as it was seen. */
    record Seen(long offset, String value) {

        static Seen of(ConsumerRecord<byte[], byte[]> record) {
            return new Seen(record.offset(), new String(record.value(), UTF_8));
        }
    }

    private final List<List<Seen>> seen = new ArrayList<>();
    private final Thread thread;
    private volatile boolean closing;
    private volatile @Nullable RuntimeException failure;

    Observer(String bootstrapServers, String topic, int partitions) {
        var all = IntStream.range(0, partitions)
                .mapToObj(number -> new TopicPartition(topic, number))
                .toList();
        all.forEach(partition -> seen.add(new ArrayList<>()));
        thread = new Thread(() -> observe(bootstrapServers, all), "observer");
        thread.start();
    }

    private void observe(String bootstrapServers, List<TopicPartition> partitions) {
        try (var consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrapServers,
                        "isolation.level",
                        "read_committed",
                        "auto.offset.reset",
                        "none"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(partitions);
            partitions.forEach(partition -> consumer.seek(partition, 0));
            while (!closing) {
                for (var record : consumer.poll(Duration.ofMillis(100))) {
                    synchronized (seen) {
                        seen.get(record.partition()).add(Seen.of(record));
                    }
                }
            }
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /** How many records it has seen. */
    int size() {
        synchronized (seen) {
            return seen.stream().mapToInt(List::size).sum();
        }
    }

    /** That it was shown exactly what stands in the log in the end (I2). */
    void check(List<List<ConsumerRecord<byte[], byte[]>>> log) {
        if (failure != null) {
            throw new AssertionError("The observer has failed", failure);
        }
        for (int partition = 0; partition < log.size(); partition++) {
            var stands = log.get(partition).stream().map(Seen::of).toList();
            List<Seen> shown;
            synchronized (seen) {
                shown = List.copyOf(seen.get(partition));
            }
            compare(partition, stands, shown);
        }
    }

    static void compare(int partition, List<Seen> stands, List<Seen> shown) {
        int both = Math.min(stands.size(), shown.size());
        for (int i = 0; i < both; i++) {
            if (!stands.get(i).equals(shown.get(i))) {
                throw new AssertionError("A reader of committed records was shown " + shown.get(i) + " in partition "
                        + partition + ", where " + stands.get(i) + " stands in the log");
            }
        }
        if (stands.size() != shown.size()) {
            throw new AssertionError("A reader of committed records was shown " + shown.size()
                    + " records of partition " + partition + ", " + stands.size() + " stand in the log");
        }
    }

    @Override
    public void close() throws InterruptedException {
        closing = true;
        thread.join();
    }
}
