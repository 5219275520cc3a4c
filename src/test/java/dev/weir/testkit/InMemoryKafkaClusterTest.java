package dev.weir.testkit;

import dev.weir.kafka.CommittedPosition;
import dev.weir.kafka.KafkaCluster;
import dev.weir.kafka.KafkaClusterContract;
import dev.weir.kafka.Output;
import dev.weir.testkit.GroupCoordinator.CommittedAt;
import dev.weir.testkit.InMemorySource.Membership;
import dev.weir.testkit.PartitionLog.Payload;
import dev.weir.topology.TopicPartition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The kind cluster in memory does what every cluster must do. */
class InMemoryKafkaClusterTest extends KafkaClusterContract {

    private final InMemoryKafka kafka = InMemoryKafka.kind(new ManualClock());

    @Override
    protected KafkaCluster newCluster(String domain) {
        return kafka.connect(domain);
    }

    @Override
    protected void createTopic(String topic, int partitions) {
        kafka.createTopic(topic, partitions);
    }

    @Override
    protected long produce(TopicPartition partition, Output record) {
        return kafka.produce(partition, record.key(), record.value(), record.headers(), record.timestamp());
    }

    @Override
    protected List<Seen> readCommitted(String topic) {
        return IntStream.range(0, kafka.partitionsOf(topic))
                .boxed()
                .flatMap(partition -> kafka.committedRecords(new TopicPartition(topic, partition)).stream()
                        .map(record -> new Seen(
                                partition,
                                record.offset(),
                                record.key(),
                                record.value(),
                                record.headers(),
                                record.timestamp())))
                .toList();
    }

    @Override
    protected void trim(TopicPartition partition, long below) {
        kafka.deleteRecords(partition, below);
    }

    @Override
    protected AutoCloseable leaveOpen(
            String transactionalId, Output record, String group, Map<TopicPartition, CommittedPosition> positions) {
        var outbox = kafka.openOutbox(transactionalId);
        outbox.add(
                kafka.logFor(record.topic(), record.key()),
                Payload.of(record.key(), record.value(), record.headers(), record.timestamp()));
        outbox.deliverAll();
        Map<TopicPartition, CommittedAt> pending = new LinkedHashMap<>();
        positions.forEach((partition, position) ->
                pending.put(partition, new CommittedAt(position, kafka.groups().nextCommit())));
        var member = new Membership(group, "", -1, -1);
        kafka.transactions().addPositions(outbox.producer(), outbox.epoch(), member.group(), pending);
        return () -> {};
    }
}
