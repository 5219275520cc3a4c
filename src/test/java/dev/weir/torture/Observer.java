package dev.weir.torture;

import dev.weir.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads a topic's committed records while the faults go on, and keeps all of them as they were seen. */
final class Observer implements AutoCloseable {

    /** A record as it was seen. */
    record Seen(long offset, String key, String value) {}

    private final List<List<Seen>> seen = new ArrayList<>();
    private final long[] lastMillis;
    private final long[] longestMillis;
    private final Clock clock = Clock.system();
    private final KafkaConsumer<String, String> consumer;
    private final Thread thread;
    private volatile boolean closing;

    Observer(String bootstrap, String topic, int partitions) {
        lastMillis = new long[partitions];
        longestMillis = new long[partitions];
        consumer = consumer(bootstrap);
        var all = partitions(topic, partitions);
        all.forEach(partition -> seen.add(new ArrayList<>()));
        consumer.assign(all);
        consumer.seekToBeginning(all);
        thread = new Thread(this::run, "torture-observer");
        thread.start();
    }

    private void run() {
        while (!closing) {
            var polled = consumer.poll(Duration.ofMillis(50));
            synchronized (this) {
                polled.forEach(this::see);
            }
        }
        consumer.close();
    }

    private void see(ConsumerRecord<String, String> record) {
        int partition = record.partition();
        seen.get(partition).add(new Seen(record.offset(), record.key(), record.value()));
        long now = clock.millis();
        if (lastMillis[partition] != 0) {
            longestMillis[partition] = Math.max(longestMillis[partition], now - lastMillis[partition]);
        }
        lastMillis[partition] = now;
    }

    /** All that was seen until now, each partition in the order in which it came. */
    synchronized List<List<Seen>> seen() {
        return seen.stream().map(List::copyOf).toList();
    }

    synchronized long count() {
        return seen.stream().mapToLong(List::size).sum();
    }

    /** The longest time between two records of a partition. */
    synchronized long longestSilenceMillis() {
        long longest = 0;
        for (long each : longestMillis) {
            longest = Math.max(longest, each);
        }
        return longest;
    }

    static KafkaConsumer<String, String> consumer(String bootstrap) {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "isolation.level", "read_committed",
                        "enable.auto.commit", "false",
                        "auto.offset.reset", "none",
                        "max.poll.records", 5_000),
                new StringDeserializer(),
                new StringDeserializer());
    }

    static List<TopicPartition> partitions(String topic, int number) {
        return IntStream.range(0, number)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
    }

    @Override
    public void close() {
        closing = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
