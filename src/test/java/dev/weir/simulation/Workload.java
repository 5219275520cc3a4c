package dev.weir.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.api.Headers;
import dev.weir.testkit.InMemoryKafka;
import dev.weir.topology.TopicPartition;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32;

/** Writes numbered records with random keys and amounts into an input topic. */
final class Workload {

    private final InMemoryKafka kafka;
    private final RandomGenerator random;
    private final String topic;
    private final int partitions;
    private final int keysPerPartition;
    private final Map<Integer, Long> lastSeq = new TreeMap<>();

    Workload(InMemoryKafka kafka, RandomGenerator random, String topic, int partitions, int keysPerPartition) {
        this.kafka = kafka;
        this.random = random;
        this.topic = topic;
        this.partitions = partitions;
        this.keysPerPartition = keysPerPartition;
    }

    /** An input record: the {@code seq}-th of its partition. */
    record Item(int partition, long seq, String key, long delta) {

        byte[] bytes() {
            return sealed(partition + "," + seq + "," + key + "," + delta);
        }

        static Item parse(byte[] bytes) {
            var parts = opened(bytes).split(",");
            return new Item(Integer.parseInt(parts[0]), Long.parseLong(parts[1]), parts[2], Long.parseLong(parts[3]));
        }
    }

    /** An output record: the total of a key after the input record at this partition and offset. */
    record Total(int partition, long offset, String key, long total) {

        byte[] bytes() {
            return sealed(partition + "," + offset + "," + key + "," + total);
        }

        static Total parse(byte[] bytes) {
            var parts = opened(bytes).split(",");
            return new Total(Integer.parseInt(parts[0]), Long.parseLong(parts[1]), parts[2], Long.parseLong(parts[3]));
        }
    }

    /** Appends one record to a random partition. */
    void produce() {
        int partition = random.nextInt(partitions);
        long seq = lastSeq.merge(partition, 1L, Long::sum);
        String key = "p" + partition + "k" + random.nextInt(keysPerPartition);
        var item = new Item(partition, seq, key, random.nextInt(-50, 50));
        kafka.produce(
                new TopicPartition(topic, partition),
                key.getBytes(UTF_8),
                item.bytes(),
                Headers.none(),
                kafka.end(new TopicPartition(topic, partition)));
    }

    private static byte[] sealed(String text) {
        return (text + ";" + crc(text)).getBytes(UTF_8);
    }

    private static String opened(byte[] bytes) {
        String all = new String(bytes, UTF_8);
        int at = all.lastIndexOf(';');
        String text = at < 0 ? all : all.substring(0, at);
        if (at < 0 || !all.substring(at + 1).equals(Long.toString(crc(text)))) {
            throw new AssertionError("The record was altered: " + all);
        }
        return text;
    }

    private static long crc(String text) {
        var crc = new CRC32();
        crc.update(text.getBytes(UTF_8));
        return crc.getValue();
    }
}
