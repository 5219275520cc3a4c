package dev.weir.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** What a reader of committed records sees of a topic. */
final class Committed implements AutoCloseable {

    private final Admin admin;
    private final KafkaConsumer<byte[], byte[]> consumer;

    Committed(String bootstrapServers, Admin admin) {
        this.admin = admin;
        this.consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", bootstrapServers,
                        "isolation.level", "read_committed",
                        "auto.offset.reset", "earliest",
                        "enable.auto.commit", "false"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /** All records up to the first open transaction, each partition in its order. */
    List<List<ConsumerRecord<byte[], byte[]>>> read(String topic) {
        var until = stableEnds(topic);
        var partitions = until.keySet().stream()
                .map(number -> new TopicPartition(topic, number))
                .toList();
        var records = new ArrayList<List<ConsumerRecord<byte[], byte[]>>>();
        partitions.forEach(partition -> records.add(new ArrayList<>()));
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        while (partitions.stream()
                .anyMatch(each -> consumer.position(each) < until.getOrDefault(each.partition(), 0L))) {
            consumer.poll(Duration.ofMillis(50))
                    .forEach(record -> records.get(record.partition()).add(record));
        }
        return records;
    }

    /** Where each partition ends, open transactions included. */
    Map<Integer, Long> ends(String topic) {
        return offsets(topic, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
    }

    /** Where each partition's first open transaction begins; its end if there is none. */
    Map<Integer, Long> stableEnds(String topic) {
        return offsets(topic, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED);
    }

    /** Where each partition begins. */
    Map<Integer, Long> begins(String topic) {
        return offsets(topic, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED);
    }

    private Map<Integer, Long> offsets(String topic, OffsetSpec spec, IsolationLevel isolation) {
        var described = Rig.get(admin.describeTopics(List.of(topic)).allTopicNames());
        var asked = new HashMap<TopicPartition, OffsetSpec>();
        Objects.requireNonNull(described.get(topic))
                .partitions()
                .forEach(each -> asked.put(new TopicPartition(topic, each.partition()), spec));
        var found = new TreeMap<Integer, Long>();
        Rig.get(admin.listOffsets(asked, new ListOffsetsOptions(isolation)).all())
                .forEach((partition, offset) -> found.put(partition.partition(), offset.offset()));
        return found;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
