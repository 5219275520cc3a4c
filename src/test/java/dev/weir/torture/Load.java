package dev.weir.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.time.Pause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Utils;

/** Sends items at a steady rate, on a thread of its own, until it is closed. */
final class Load implements AutoCloseable {

    private static final int KEYS_PER_PARTITION = 60;

    private final int partitions;
    private final int perSecond;
    private final SplittableRandom random;
    private final List<List<String>> keys = new ArrayList<>();
    private final long[] next;
    private final KafkaProducer<String, String> producer;
    private final Thread thread;
    private volatile boolean closing;
    private long sent;

    Load(String bootstrap, int partitions, int perSecond, long seed) {
        this.partitions = partitions;
        this.perSecond = perSecond;
        this.random = new SplittableRandom(seed);
        this.next = new long[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            keys.add(new ArrayList<>());
        }
        for (int i = 0; keys.stream().anyMatch(some -> some.size() < KEYS_PER_PARTITION); i++) {
            var some = keys.get(partitionOf("k" + i));
            if (some.size() < KEYS_PER_PARTITION) {
                some.add("k" + i);
            }
        }
        producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "acks",
                        "all",
                        "linger.ms",
                        5,
                        "max.block.ms",
                        60_000,
                        "delivery.timeout.ms",
                        120_000),
                new StringSerializer(),
                new StringSerializer());
        thread = new Thread(this::run, "torture-load");
        thread.start();
    }

    private int partitionOf(String key) {
        return Utils.toPositive(Utils.murmur2(key.getBytes(UTF_8))) % partitions;
    }

    private void run() {
        while (!closing) {
            for (int i = 0; i < perSecond / 100; i++) {
                sendPair();
            }
            Pause.real().await(Duration.ofMillis(20));
        }
        producer.flush();
    }

    /** Moves an amount between two keys of a partition. */
    private void sendPair() {
        int partition = random.nextInt(partitions);
        var some = keys.get(partition);
        long amount = random.nextLong(1, 1_000);
        send(partition, some.get(random.nextInt(some.size())), -amount);
        send(partition, some.get(random.nextInt(some.size())), amount);
    }

    private void send(int partition, String key, long delta) {
        var item = new Item(partition, next[partition]++, key, delta);
        sent++;
        // What is not acknowledged in the end is missed by whoever compares the input with what was sent.
        var unused = producer.send(new ProducerRecord<>(Ledger.INPUT, partition, key, item.text()));
    }

    /** Stops; how many were sent. All are acknowledged. */
    long stop() {
        close();
        return sent;
    }

    @Override
    public void close() {
        closing = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        producer.close();
    }
}
