package dev.weir.fault;

import dev.weir.kafka.CommittedPosition;
import dev.weir.kafka.ControlReader;
import dev.weir.kafka.ControlWriter;
import dev.weir.kafka.KafkaCluster;
import dev.weir.kafka.Leadership;
import dev.weir.kafka.MarkerWriter;
import dev.weir.kafka.PartitionListener;
import dev.weir.kafka.Source;
import dev.weir.kafka.TransactionalSink;
import dev.weir.topology.TopicPartition;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Passes everything on; faults override what they are about. */
public class ForwardingCluster implements KafkaCluster {

    protected final KafkaCluster real;

    /** Around the real one. */
    public ForwardingCluster(KafkaCluster real) {
        this.real = real;
    }

    @Override
    public Source openSource(SourceSettings settings, PartitionListener listener) {
        return real.openSource(settings, listener);
    }

    @Override
    public TransactionalSink openSink(String transactionalId) {
        return real.openSink(transactionalId);
    }

    @Override
    public String clusterId() {
        return real.clusterId();
    }

    @Override
    public Map<String, TopicDescription> describeTopics(Collection<String> topics) {
        return real.describeTopics(topics);
    }

    @Override
    public ControlReader openControlReader() {
        return real.openControlReader();
    }

    @Override
    public ControlWriter openControlWriter() {
        return real.openControlWriter();
    }

    @Override
    public ControlWriter openLeaderWriter() {
        return real.openLeaderWriter();
    }

    @Override
    public Leadership openLeadership() {
        return real.openLeadership();
    }

    @Override
    public MarkerWriter openMarkerWriter() {
        return real.openMarkerWriter();
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Set<TopicPartition> partitions) {
        return real.endOffsets(partitions);
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Set<TopicPartition> partitions) {
        return real.beginningOffsets(partitions);
    }

    @Override
    public Map<TopicPartition, Long> offsetsAt(Set<TopicPartition> partitions, long timestampMillis) {
        return real.offsetsAt(partitions, timestampMillis);
    }

    @Override
    public Map<TopicPartition, CommittedPosition> committed(String group, Set<TopicPartition> partitions) {
        return real.committed(group, partitions);
    }

    @Override
    public Set<String> memberInstances(String group) {
        return real.memberInstances(group);
    }

    @Override
    public void fence(List<String> transactionalIds) {
        real.fence(transactionalIds);
    }

    @Override
    public void trimControl(long belowOffset) {
        real.trimControl(belowOffset);
    }

    @Override
    public void close() {
        real.close();
    }
}
