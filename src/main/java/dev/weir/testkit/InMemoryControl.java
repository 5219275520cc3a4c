package dev.weir.testkit;

import dev.weir.api.Headers;
import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.Marker;
import dev.weir.barrier.MarkerCodec;
import dev.weir.failure.FencedException;
import dev.weir.failure.StoppedException;
import dev.weir.failure.TransientException;
import dev.weir.failure.UnknownOutcomeException;
import dev.weir.kafka.ControlReader;
import dev.weir.kafka.ControlWriter;
import dev.weir.kafka.MarkerWriter;
import dev.weir.testkit.FaultPlan.Fault;
import dev.weir.testkit.PartitionLog.Payload;
import dev.weir.testkit.TransactionCoordinator.Ending;
import dev.weir.testkit.TransactionCoordinator.Producer;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The control topic, and the markers in other topics. */
final class InMemoryControl {

    private InMemoryControl() {}

    private static Payload payload(InMemoryKafka kafka, ControlRecord control) {
        return new Payload(null, null, Headers.none(), kafka.clock().wallMillis(), null, control);
    }

    /** Reads it: first the newest full state, then what that does not cover. */
    static final class Reader implements ControlReader {

        private final InMemoryKafkaCluster cluster;
        private final InMemoryKafka kafka;
        private final PartitionLog log;
        private long position;
        private long lookUntil;
        private boolean looking;

        Reader(InMemoryKafkaCluster cluster) {
            this.cluster = cluster;
            this.kafka = cluster.kafka();
            synchronized (kafka) {
                this.log = kafka.controlLog(cluster.domain());
                look();
            }
        }

        private void look() {
            looking = true;
            lookUntil = log.end();
        }

        @Override
        public List<Positioned> poll(Duration atMost) {
            cluster.checkAlive();
            synchronized (kafka) {
                if (!looking && position < log.start()) {
                    look();
                }
                List<Positioned> records = new ArrayList<>();
                if (looking && !start(records)) {
                    return records;
                }
                int most =
                        kafka.isKind() ? Integer.MAX_VALUE : 1 + kafka.random().nextInt(20);
                long end = log.stableEnd();
                long next = log.nextCommitted(position);
                while (records.size() < most && next < end) {
                    var control = at(next);
                    if (!(control instanceof ControlRecord.FullState)) {
                        records.add(new Positioned(next, control));
                    }
                    next = log.nextCommitted(next + 1);
                }
                position = next;
                return records;
            }
        }

        /** Looks through the log for the full state to begin with, once all of it can be read; false until then. */
        private boolean start(List<Positioned> records) {
            if (log.stableEnd() < Math.max(lookUntil, log.start())) {
                return false;
            }
            long from = log.start();
            ControlRecord.FullState newest = null;
            for (long at = log.nextCommitted(from); at < log.stableEnd(); at = log.nextCommitted(at + 1)) {
                if (at(at) instanceof ControlRecord.FullState full
                        && full.covers() >= log.start()
                        && (newest == null || full.covers() >= newest.covers())) {
                    newest = full;
                    from = full.covers();
                }
            }
            if (newest != null) {
                records.add(new Positioned(newest.covers() - 1, newest));
            } else if (from > 0) {
                throw new StoppedException("Cannot read the control topic: its records below offset " + from
                        + " were deleted and no full state stands for them, restore the domain");
            }
            position = from;
            looking = false;
            return true;
        }

        private ControlRecord at(long offset) {
            var payload = log.entry(offset).payload();
            if (payload == null || payload.control() == null) {
                throw new IllegalStateException("Cannot read offset " + offset + ": it holds no control record");
            }
            return payload.control();
        }

        @Override
        public boolean isAtEnd() {
            cluster.checkAlive();
            synchronized (kafka) {
                return !looking && position >= log.end();
            }
        }

        @Override
        public void close() {}
    }

    /** Writes to it without a transaction. */
    static final class Writer implements ControlWriter {

        private final InMemoryKafkaCluster cluster;
        private final InMemoryKafka kafka;

        Writer(InMemoryKafkaCluster cluster) {
            this.cluster = cluster;
            this.kafka = cluster.kafka();
        }

        @Override
        public void append(List<? extends ControlRecord> records) {
            cluster.call("write to the control topic");
            boolean lost = cluster.happens(Fault.LOST_APPEND_REPLY);
            int count = lost ? kafka.random().nextInt(records.size() + 1) : records.size();
            synchronized (kafka) {
                var log = kafka.controlLog(cluster.domain());
                for (int i = 0; i < count; i++) {
                    log.append(payload(kafka, records.get(i)));
                }
            }
            if (lost) {
                throw new TransientException("Cannot write to the control topic: the broker did not answer, try again");
            }
            cluster.reach("appended");
        }

        @Override
        public void close() {}
    }

    /** Writes to it as the leader, one transaction a call. */
    static final class LeaderWriter implements ControlWriter {

        private final InMemoryKafkaCluster cluster;
        private final InMemoryKafka kafka;
        private final Producer producer;
        private int epoch;
        private boolean broken;

        LeaderWriter(InMemoryKafkaCluster cluster) {
            this.cluster = cluster;
            this.kafka = cluster.kafka();
            synchronized (kafka) {
                this.producer = kafka.transactions().open(cluster.domain() + ".leader", true);
                this.epoch = producer.epoch();
            }
        }

        @Override
        public void append(List<? extends ControlRecord> records) {
            if (broken) {
                throw new IllegalStateException(
                        "Cannot write to the control topic as leader: this writer failed before, open a new one");
            }
            if (records.isEmpty()) {
                return;
            }
            broken = true;
            cluster.call("write to the control topic as leader");
            write(records);
            cluster.reach("leader's records written");
            boolean lost = cluster.happens(Fault.LOST_APPEND_REPLY);
            synchronized (kafka) {
                if (lost) {
                    endWithoutReply();
                } else {
                    end();
                }
            }
            broken = false;
            cluster.reach("leader's records committed");
        }

        private void endWithoutReply() {
            int current = epoch;
            switch (kafka.random().nextInt(3)) {
                case 0 -> kafka.transactions().end(producer, current, Ending.COMMIT);
                case 1 -> kafka.later(() -> kafka.transactions().end(producer, current, Ending.COMMIT));
                default -> {}
            }
            throw new UnknownOutcomeException("Cannot tell whether the leader's records are written: the broker did not"
                    + " answer; open another leader's writer and read the topic");
        }

        private void write(List<? extends ControlRecord> records) {
            synchronized (kafka) {
                var log = kafka.controlLog(cluster.domain());
                for (var control : records) {
                    if (!kafka.transactions().append(producer, epoch, log, payload(kafka, control))) {
                        throw fenced();
                    }
                }
            }
        }

        private void end() {
            if (!kafka.transactions().end(producer, epoch, Ending.COMMIT)) {
                throw fenced();
            }
            epoch = producer.epoch();
            if (kafka.isKind()) {
                kafka.transactions().finish(producer);
            }
        }

        private static FencedException fenced() {
            return new FencedException("Cannot write to the control topic as leader: another leader has taken over");
        }

        @Override
        public void close() {}
    }

    /** Writes markers; when it fails, some are written and some come later. */
    static final class Markers implements MarkerWriter {

        private final InMemoryKafkaCluster cluster;
        private final InMemoryKafka kafka;

        Markers(InMemoryKafkaCluster cluster) {
            this.cluster = cluster;
            this.kafka = cluster.kafka();
        }

        @Override
        public Map<TopicPartition, Long> write(Marker marker, Set<TopicPartition> partitions) {
            cluster.call("write markers");
            var headers = Headers.none().with(MarkerCodec.HEADER, MarkerCodec.encode(marker));
            var payload = Payload.of(
                    MarkerCodec.key(),
                    MarkerCodec.value(),
                    headers,
                    kafka.clock().wallMillis());
            if (cluster.happens(Fault.PARTIAL_MARKERS)) {
                writeSome(payload, partitions);
                throw new TransientException("Cannot write markers of checkpoint " + marker.checkpoint()
                        + ": some partitions did not answer, try again");
            }
            Map<TopicPartition, Long> offsets = new TreeMap<>();
            for (var partition : new TreeSet<>(partitions)) {
                synchronized (kafka) {
                    offsets.put(partition, kafka.log(partition).append(payload));
                }
                cluster.reach("marker written");
            }
            return offsets;
        }

        private void writeSome(Payload payload, Set<TopicPartition> partitions) {
            for (var partition : new TreeSet<>(partitions)) {
                var log = kafka.log(partition);
                switch (kafka.random().nextInt(3)) {
                    case 0 -> log.append(payload);
                    case 1 -> kafka.later(() -> log.append(payload));
                    default -> {}
                }
            }
        }

        @Override
        public void close() {}
    }
}
