package dev.weir.benchmark;

import dev.weir.benchmark.workload.Workload;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The broker's topics, seen from outside. */
final class Topics implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int BROKER = 1;

    private final String bootstrap;
    private final Admin admin;

    Topics(String bootstrap) {
        this.bootstrap = bootstrap;
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    /** Makes a topic that is empty, whatever was there, and waits until its partitions answer. */
    void recreate(String topic) throws ExecutionException, InterruptedException {
        if (admin.listTopics().names().get().contains(topic)) {
            delete(List.of(topic));
        }
        var empty = new NewTopic(topic, Optional.of(Workload.PARTITIONS), Optional.empty());
        untilDone(
                TopicExistsException.class,
                () -> admin.createTopics(List.of(empty)).all().get());
        untilDone(RetriableException.class, () -> ends(topic, IsolationLevel.READ_UNCOMMITTED));
    }

    /** What is asked of the broker. */
    private interface Request {
        void send() throws ExecutionException, InterruptedException;
    }

    /** Repeats a request as long as it fails so. */
    private static void untilDone(Class<? extends Exception> passing, Request request)
            throws ExecutionException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                request.send();
                return;
            } catch (ExecutionException e) {
                if (!passing.isInstance(e.getCause()) || System.nanoTime() > deadline) {
                    throw e;
                }
                Thread.sleep(50);
            }
        }
    }

    /** Deletes all topics that have this in their names. */
    void deleteAllOf(String part) throws ExecutionException, InterruptedException {
        delete(admin.listTopics().names().get().stream()
                .filter(topic -> topic.contains(part))
                .toList());
    }

    private void delete(Collection<String> topics) throws ExecutionException, InterruptedException {
        admin.deleteTopics(topics).all().get();
    }

    /** End offsets by partition: what a read_committed consumer may read up to, or all that is written. */
    long[] ends(String topic, IsolationLevel isolation) throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> query = partitions(topic).stream()
                .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest()));
        long[] ends = new long[Workload.PARTITIONS];
        admin.listOffsets(query, new ListOffsetsOptions(isolation))
                .all()
                .get()
                .forEach((partition, info) -> ends[partition.partition()] = info.offset());
        return ends;
    }

    /** Bytes in the broker's logs, by topic. */
    Map<String, Long> bytes() throws ExecutionException, InterruptedException {
        return admin.describeLogDirs(List.of(BROKER)).allDescriptions().get().values().stream()
                .flatMap(folders -> folders.values().stream())
                .flatMap(folder -> folder.replicaInfos().entrySet().stream())
                .collect(Collectors.toMap(
                        replica -> replica.getKey().topic(),
                        replica -> replica.getValue().size(),
                        Long::sum));
    }

    /** Hands over all committed records of a topic, and tells at which offset the last of each partition lies. */
    long[] read(String topic, Consumer<ConsumerRecord<byte[], byte[]>> reader)
            throws ExecutionException, InterruptedException {
        long[] ends = ends(topic, IsolationLevel.READ_COMMITTED);
        long[] last =
                IntStream.range(0, Workload.PARTITIONS).mapToLong(any -> -1).toArray();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            var partitions = partitions(topic);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends[each.partition()])) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    reader.accept(record);
                    last[record.partition()] = record.offset();
                }
            }
        }
        return last;
    }

    /** A read_committed consumer. */
    KafkaConsumer<byte[], byte[]> consumer() {
        return new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed", "max.poll.records", 10_000),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /** The partitions of a topic of the benchmark's. */
    static List<TopicPartition> partitions(String topic) {
        return IntStream.range(0, Workload.PARTITIONS)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
    }

    @Override
    public void close() {
        admin.close();
    }
}
