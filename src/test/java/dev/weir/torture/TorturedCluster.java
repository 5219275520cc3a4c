package dev.weir.torture;

import dev.weir.fault.ForwardingCluster;
import dev.weir.kafka.CommittedPosition;
import dev.weir.kafka.GroupMember;
import dev.weir.kafka.KafkaCluster;
import dev.weir.kafka.Output;
import dev.weir.kafka.PartitionListener;
import dev.weir.kafka.Records;
import dev.weir.kafka.Source;
import dev.weir.kafka.TransactionalSink;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Brokers at which a worker dies where it was told to. */
final class TorturedCluster extends ForwardingCluster {

    private final Orders orders;

    TorturedCluster(KafkaCluster real, Orders orders) {
        super(real);
        this.orders = orders;
    }

    @Override
    public TransactionalSink openSink(String transactionalId) {
        return new Sink(real.openSink(transactionalId), orders);
    }

    @Override
    public Source openSource(SourceSettings settings, PartitionListener listener) {
        return new MarkedSource(real.openSource(settings, listener), orders);
    }

    private record Sink(TransactionalSink real, Orders orders) implements TransactionalSink {

        @Override
        public void begin() {
            real.begin();
        }

        @Override
        public int maxRecordBytes() {
            return real.maxRecordBytes();
        }

        @Override
        public void send(Output output) {
            real.send(output);
        }

        @Override
        public void flush() {
            real.flush();
        }

        @Override
        public CommitOutcome commit(Map<TopicPartition, CommittedPosition> positions, GroupMember member) {
            orders.pass(Point.BEFORE_COMMIT);
            var outcome = real.commit(positions, member);
            orders.pass(Point.AFTER_COMMIT);
            return outcome;
        }

        @Override
        public void close() {
            real.close();
        }
    }

    private static final class MarkedSource implements Source {

        private final Source real;
        private final Orders orders;
        private boolean marked;

        MarkedSource(Source real, Orders orders) {
            this.real = real;
            this.orders = orders;
        }

        @Override
        public List<Records> poll(Duration atMost) {
            if (marked) {
                orders.pass(Point.BARRIER_SEEN);
                marked = false;
            }
            var polled = real.poll(atMost);
            if (!polled.isEmpty()) {
                orders.works();
            }
            marked = polled.stream().anyMatch(MarkedSource::hasMarker);
            return polled;
        }

        private static boolean hasMarker(Records records) {
            for (int i = 0; i < records.size(); i++) {
                if (records.marker(i) != null) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public void pause(Collection<TopicPartition> partitions) {
            real.pause(partitions);
        }

        @Override
        public void resume(Collection<TopicPartition> partitions) {
            real.resume(partitions);
        }

        @Override
        public void seek(TopicPartition partition, long offset) {
            real.seek(partition, offset);
        }

        @Override
        public long position(TopicPartition partition) {
            return real.position(partition);
        }

        @Override
        public long knownEnd(TopicPartition partition) {
            return real.knownEnd(partition);
        }

        @Override
        public Set<TopicPartition> owned() {
            return real.owned();
        }

        @Override
        public GroupMember member() {
            return real.member();
        }

        @Override
        public boolean isRebalancing() {
            return real.isRebalancing();
        }

        @Override
        public void leave(Duration atMost) {
            real.leave(atMost);
        }

        @Override
        public void close() {
            real.close();
        }
    }
}
