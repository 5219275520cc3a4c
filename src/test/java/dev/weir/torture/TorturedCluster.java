package dev.weir.torture;

import dev.weir.fixture.ForwardingCluster;
import dev.weir.fixture.ForwardingSink;
import dev.weir.fixture.ForwardingSource;
import dev.weir.kafka.CommittedPosition;
import dev.weir.kafka.GroupMember;
import dev.weir.kafka.KafkaCluster;
import dev.weir.kafka.PartitionListener;
import dev.weir.kafka.Records;
import dev.weir.kafka.Source;
import dev.weir.kafka.TransactionalSink;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.List;
import java.util.Map;

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

    private static final class Sink extends ForwardingSink {

        private final Orders orders;

        Sink(TransactionalSink real, Orders orders) {
            super(real);
            this.orders = orders;
        }

        @Override
        public CommitOutcome commit(Map<TopicPartition, CommittedPosition> positions, GroupMember member) {
            orders.pass(Point.BEFORE_COMMIT);
            var outcome = real.commit(positions, member);
            orders.pass(Point.AFTER_COMMIT);
            return outcome;
        }
    }

    private static final class MarkedSource extends ForwardingSource {

        private final Orders orders;
        private boolean marked;

        MarkedSource(Source real, Orders orders) {
            super(real);
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
    }
}
