package dev.weir.testkit;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.FencedException;
import dev.weir.failure.TransientException;
import dev.weir.kafka.CommittedPosition;
import dev.weir.kafka.GroupMember;
import dev.weir.kafka.Output;
import dev.weir.kafka.TransactionalSink;
import dev.weir.testkit.FaultPlan.Fault;
import dev.weir.testkit.GroupCoordinator.CommittedAt;
import dev.weir.testkit.InMemorySource.Membership;
import dev.weir.testkit.PartitionLog.Payload;
import dev.weir.testkit.TransactionCoordinator.Ending;
import dev.weir.testkit.TransactionCoordinator.Producer;
import dev.weir.topology.TopicPartition;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A transactional producer whose records are delivered at random, or at the latest by a flush or commit. */
final class InMemorySink implements TransactionalSink {

    private static final int MAX_RECORD_BYTES = 1 << 20;

    private final InMemoryKafkaCluster cluster;
    private final InMemoryKafka kafka;
    private final Outbox outbox;
    private boolean begun;
    private @Nullable String broken;

    InMemorySink(InMemoryKafkaCluster cluster, Outbox outbox) {
        this.cluster = cluster;
        this.kafka = cluster.kafka();
        this.outbox = outbox;
    }

    @Override
    public void begin() {
        usable("begin");
        if (begun) {
            throw new IllegalStateException("Cannot begin a transaction: one is open already");
        }
        begun = true;
    }

    @Override
    public int maxRecordBytes() {
        return MAX_RECORD_BYTES;
    }

    @Override
    public void send(Output output) {
        usable("send");
        if (!begun) {
            throw new IllegalStateException("Cannot send: no transaction is open, begin one");
        }
        int size = output.sizeBound();
        if (size > MAX_RECORD_BYTES) {
            throw new ConfigurationException("Cannot send a record to " + output.topic() + ": it has " + size
                    + " bytes, more than the largest allowed of " + MAX_RECORD_BYTES);
        }
        long timestamp = output.timestamp() < 0 ? kafka.clock().wallMillis() : output.timestamp();
        synchronized (kafka) {
            outbox.add(
                    kafka.logFor(output.topic(), output.key()),
                    Payload.of(output.key(), output.value(), output.headers(), timestamp));
            if (kafka.isKind()) {
                outbox.deliverAll();
            }
        }
    }

    @Override
    public void flush() {
        usable("flush");
        cluster.reach("flush");
        if (cluster.happens(Fault.LOST_APPEND_REPLY)) {
            synchronized (kafka) {
                if (!outbox.isEmpty() && outbox.canDeliver()) {
                    outbox.deliverSome(kafka.random());
                }
            }
            broken = "some records were not acknowledged";
            throw new TransientException("Cannot flush " + id() + ": " + broken + ", open a new producer");
        }
        deliverAll();
        if (begun && outbox.isFenced()) {
            broken = "another producer of the same id has taken over";
            throw new FencedException("Cannot flush " + id() + ": " + broken);
        }
        cluster.reach("flushed");
    }

    @Override
    public CommitOutcome commit(Map<TopicPartition, CommittedPosition> positions, GroupMember member) {
        if (positions.isEmpty()) {
            throw new IllegalArgumentException("Cannot commit " + id() + ": there are no positions, and without them no"
                    + " broker checks who commits");
        }
        var membership = (Membership) member;
        if (member.generation() < 0) {
            return notCommitted("the source is no member of the group " + membership.group());
        }
        return commitUnchecked(positions, membership);
    }

    /** Commits as the broker does, which checks nothing of the member if there are no positions or the generation is negative. */
    CommitOutcome commitUnchecked(Map<TopicPartition, CommittedPosition> positions, Membership member) {
        usable("commit");
        if (!begun) {
            throw new IllegalStateException("Cannot commit: no transaction is open, begin one");
        }
        cluster.reach("commit");
        deliverAll();
        if (outbox.isFenced()) {
            return notCommitted("another producer of the same id has taken over, or the transaction timed out");
        }
        if (cluster.happens(Fault.BROKER_REFUSES)) {
            return notCommitted("no broker answered");
        }
        if (!positions.isEmpty()) {
            String refusal = addPositions(positions, member);
            if (refusal != null) {
                return notCommitted(refusal);
            }
            cluster.reach("positions added");
        }
        return end();
    }

    private @Nullable String addPositions(Map<TopicPartition, CommittedPosition> positions, Membership member) {
        synchronized (kafka) {
            var groups = kafka.groups();
            if (member.generation() >= 0) {
                String refusal = groups.refusal(
                        groups.group(member.group()), member.instance(), member.id(), member.generation());
                if (refusal != null) {
                    return refusal;
                }
            }
            long order = groups.nextCommit();
            Map<TopicPartition, CommittedAt> pending = new LinkedHashMap<>();
            new TreeMap<>(positions)
                    .forEach((partition, position) -> pending.put(partition, new CommittedAt(position, order)));
            return kafka.transactions().addPositions(outbox.producer(), outbox.epoch(), member.group(), pending)
                    ? null
                    : "another producer of the same id has taken over";
        }
    }

    private CommitOutcome end() {
        synchronized (kafka) {
            if (cluster.happens(Fault.LOST_COMMIT_REPLY)) {
                return endWithoutReply();
            }
            if (!kafka.transactions().end(outbox.producer(), outbox.epoch(), Ending.COMMIT)) {
                return unknown("the producer was fenced while it committed");
            }
            outbox.renew();
            if (kafka.isKind()) {
                kafka.transactions().finish(outbox.producer());
            }
            begun = false;
        }
        cluster.reach("committed");
        return new CommitOutcome.Committed();
    }

    private CommitOutcome endWithoutReply() {
        var producer = outbox.producer();
        int epoch = outbox.epoch();
        switch (kafka.random().nextInt(3)) {
            case 0 -> kafka.transactions().end(producer, epoch, Ending.COMMIT);
            case 1 -> kafka.later(() -> kafka.transactions().end(producer, epoch, Ending.COMMIT));
            default -> {}
        }
        return unknown("the broker did not answer the commit");
    }

    private CommitOutcome notCommitted(String reason) {
        broken = reason;
        return new CommitOutcome.NotCommitted(reason);
    }

    private CommitOutcome unknown(String reason) {
        broken = reason;
        return new CommitOutcome.Unknown(reason);
    }

    private void deliverAll() {
        synchronized (kafka) {
            outbox.deliverAll();
        }
    }

    private void usable(String what) {
        cluster.checkAlive();
        if (broken != null) {
            throw new IllegalStateException(
                    "Cannot " + what + " with " + id() + ": it failed before (" + broken + "), open a new one");
        }
    }

    private String id() {
        return "the producer " + outbox.producer().id();
    }

    void hold() {
        outbox.hold();
    }

    void release() {
        outbox.release();
    }

    /** What was on its way still arrives. */
    void abandon() {
        outbox.release();
        synchronized (kafka) {
            kafka.closeOutbox(outbox);
        }
    }

    @Override
    public void close() {
        if (cluster.isAlive()) {
            broken = "closed";
            cluster.forget(this);
            abandon();
        }
    }

    /** What a transactional producer has been given and has not delivered yet: in order for one partition, in any order across them. */
    static final class Outbox {

        private final TransactionCoordinator transactions;
        private final Producer producer;
        private final Map<PartitionLog, Deque<PartitionLog.Payload>> queues = new LinkedHashMap<>();
        private int epoch;
        private int size;
        private boolean fenced;
        private boolean held;

        Outbox(TransactionCoordinator transactions, Producer producer) {
            this.transactions = transactions;
            this.producer = producer;
            this.epoch = producer.epoch();
        }

        Producer producer() {
            return producer;
        }

        int epoch() {
            return epoch;
        }

        /** Takes up the epoch that the broker gave after a transaction. */
        void renew() {
            epoch = producer.epoch();
        }

        void add(PartitionLog log, PartitionLog.Payload payload) {
            var queue = queues.get(log);
            if (queue == null) {
                queue = new ArrayDeque<>();
                queues.put(log, queue);
            }
            queue.add(payload);
            size++;
        }

        boolean isEmpty() {
            return size == 0;
        }

        boolean isFenced() {
            return fenced || producer.epoch() != epoch;
        }

        /** Whether a record could be delivered now, without waiting for the end of an earlier transaction. */
        boolean canDeliver() {
            return size > 0 && !held && !producer.isEnding();
        }

        /** Stops delivery while the process stands still. */
        void hold() {
            held = true;
        }

        void release() {
            held = false;
        }

        /** Delivers everything, partition by partition. */
        void deliverAll() {
            for (var queue : queues.entrySet()) {
                while (!queue.getValue().isEmpty()) {
                    deliver(queue.getKey(), queue.getValue());
                }
            }
            queues.clear();
        }

        /** Delivers a few records of one partition. */
        void deliverSome(RandomGenerator random) {
            var queue = pick(random);
            int count = 1 + random.nextInt(queue.getValue().size());
            for (int i = 0; i < count && !queue.getValue().isEmpty(); i++) {
                deliver(queue.getKey(), queue.getValue());
            }
            if (queue.getValue().isEmpty()) {
                queues.remove(queue.getKey());
            }
        }

        /** Forgets what is not on its way yet: keeps a random first part of each partition's records. */
        void cut(RandomGenerator random) {
            for (var queue : queues.values()) {
                int kept = random.nextInt(queue.size() + 1);
                while (queue.size() > kept) {
                    queue.removeLast();
                    size--;
                }
            }
            queues.values().removeIf(Deque::isEmpty);
        }

        void clear() {
            queues.clear();
            size = 0;
        }

        private void deliver(PartitionLog log, Deque<PartitionLog.Payload> queue) {
            var payload = queue.remove();
            size--;
            if (!transactions.append(producer, epoch, log, payload)) {
                fenced = true;
            }
        }

        private Map.Entry<PartitionLog, Deque<PartitionLog.Payload>> pick(RandomGenerator random) {
            int at = random.nextInt(queues.size());
            var iterator = queues.entrySet().iterator();
            for (int i = 0; i < at; i++) {
                iterator.next();
            }
            return iterator.next();
        }
    }
}
