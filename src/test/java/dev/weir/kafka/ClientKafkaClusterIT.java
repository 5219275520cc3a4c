package dev.weir.kafka;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.api.Headers;
import dev.weir.fixture.KafkaBroker;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class ClientKafkaClusterIT extends KafkaClusterContract {

    private static KafkaProducer<byte[], byte[]> producer;
    private static KafkaConsumer<byte[], byte[]> observer;
    private static Admin admin;

    @BeforeAll
    static void openClients() {
        var bootstrap =
                Map.<String, Object>of("bootstrap.servers", KafkaBroker.shared().bootstrapServers());
        producer = producer(Map.of());
        admin = Admin.create(bootstrap);
        var properties = new HashMap<>(bootstrap);
        properties.put("isolation.level", "read_committed");
        properties.put("auto.offset.reset", "earliest");
        observer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @AfterAll
    static void closeClients() {
        observer.close();
        producer.close();
        admin.close();
    }

    private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        var properties = new HashMap<>(more);
        properties.put("bootstrap.servers", KafkaBroker.shared().bootstrapServers());
        properties.put("linger.ms", 0);
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    protected KafkaCluster newCluster(String domain) {
        var clients =
                Map.<String, Object>of("bootstrap.servers", KafkaBroker.shared().bootstrapServers());
        return new ClientKafkaCluster(ClusterSettings.of(domain, clients)
                .withTimeouts(new ClusterSettings.Timeouts(
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(15),
                        Duration.ofSeconds(4))));
    }

    @Override
    protected void createTopic(String topic, int partitions) {
        KafkaBroker.shared().createTopic(topic, partitions);
    }

    @Override
    protected long produce(TopicPartition partition, Output record) {
        try {
            return producer.send(client(partition.partition(), record)).get().offset();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ProducerRecord<byte[], byte[]> client(int partition, Output record) {
        var headers = new RecordHeaders();
        record.headers().forEach(header -> headers.add(header.name(), header.value()));
        var timestamp = record.timestamp() < 0 ? null : record.timestamp();
        return new ProducerRecord<>(record.topic(), partition, timestamp, record.key(), record.value(), headers);
    }

    @Override
    protected List<Seen> readCommitted(String topic) {
        try {
            var all = admin.describeTopics(List.of(topic)).allTopicNames().get();
            var partitions = all.values().stream()
                    .flatMap(each -> each.partitions().stream())
                    .map(each -> new org.apache.kafka.common.TopicPartition(topic, each.partition()))
                    .toList();
            var latest = new HashMap<org.apache.kafka.common.TopicPartition, OffsetSpec>();
            partitions.forEach(each -> latest.put(each, OffsetSpec.latest()));
            var stable = admin.listOffsets(latest, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                    .all()
                    .get();
            observer.assign(partitions);
            observer.seekToBeginning(partitions);
            var seen = new ArrayList<Seen>();
            while (partitions.stream()
                    .anyMatch(each -> observer.position(each)
                            < requireNonNull(stable.get(each)).offset())) {
                observer.poll(Duration.ofMillis(50)).forEach(record -> {
                    var headers = new ArrayList<Headers.Header>();
                    record.headers().forEach(header -> headers.add(new Headers.Header(header.key(), header.value())));
                    seen.add(new Seen(
                            record.partition(),
                            record.offset(),
                            record.key(),
                            record.value(),
                            Headers.of(headers),
                            record.timestamp()));
                });
            }
            seen.sort(java.util.Comparator.comparing(Seen::partition).thenComparing(Seen::offset));
            return seen;
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected void trim(TopicPartition partition, long below) {
        try {
            admin.deleteRecords(Map.of(Topics.toClient(partition), RecordsToDelete.beforeOffset(below)))
                    .all()
                    .get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected AutoCloseable leaveOpen(
            String transactionalId, Output record, String group, Map<TopicPartition, CommittedPosition> positions) {
        var open = producer(Map.of("transactional.id", transactionalId));
        open.initTransactions();
        open.beginTransaction();
        var sent = open.send(client(0, record));
        open.flush();
        assertThat(sent).isDone();
        var offsets = new HashMap<org.apache.kafka.common.TopicPartition, OffsetAndMetadata>();
        positions.forEach((partition, position) ->
                offsets.put(Topics.toClient(partition), new OffsetAndMetadata(position.offset(), position.metadata())));
        open.sendOffsetsToTransaction(offsets, new ConsumerGroupMetadata(group));
        return () -> open.close(Duration.ZERO);
    }
}
