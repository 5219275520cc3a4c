package dev.weir.testkit;

import dev.weir.testkit.GroupCoordinator.CommittedAt;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Knows the transactional ids, fences by epochs, and writes transaction markers one by one after a transaction has ended. */
final class TransactionCoordinator {

    private enum Status {
        EMPTY,
        ONGOING,
        PREPARED
    }

    /** A transactional id. */
    static final class Producer {
        private final String id;
        private final long producerId;
        private final Map<TopicPartition, PartitionLog> partitions = new LinkedHashMap<>();
        private final Set<String> groups = new LinkedHashSet<>();
        private int epoch;
        private Status status = Status.EMPTY;
        private boolean committing;
        private long startedMillis;

        private Producer(String id, long producerId) {
            this.id = id;
            this.producerId = producerId;
        }

        int epoch() {
            return epoch;
        }

        String id() {
            return id;
        }

        boolean isEnding() {
            return status == Status.PREPARED;
        }

        private int markersLeft() {
            return partitions.size() + groups.size();
        }
    }

    private final Map<String, Producer> producers = new LinkedHashMap<>();
    private final List<Producer> ending = new ArrayList<>();
    private final GroupCoordinator groups;
    private final LongSupplier nowMillis;

    TransactionCoordinator(GroupCoordinator groups, LongSupplier nowMillis) {
        this.groups = groups;
        this.nowMillis = nowMillis;
    }

    /** Fences earlier producers of the id and ends what they left; with {@code finish} false its markers land later. */
    Producer open(String id, boolean finish) {
        var producer = producers.get(id);
        if (producer == null) {
            producer = new Producer(id, producers.size() + 1L);
            producers.put(id, producer);
        }
        if (producer.status == Status.ONGOING) {
            prepare(producer, false);
        } else {
            producer.epoch++;
        }
        if (finish) {
            finish(producer);
        }
        return producer;
    }

    /** Appends within the producer's transaction, beginning one if none is open; false if the producer is fenced. */
    boolean append(Producer producer, int epoch, PartitionLog log, PartitionLog.Payload payload) {
        if (!begin(producer, epoch)) {
            return false;
        }
        producer.partitions.putIfAbsent(log.id(), log);
        log.append(payload, producer.producerId);
        return true;
    }

    /** Adds positions to the producer's transaction; false if the producer is fenced. */
    boolean addPositions(Producer producer, int epoch, String group, Map<TopicPartition, CommittedAt> positions) {
        if (!begin(producer, epoch)) {
            return false;
        }
        producer.groups.add(group);
        groups.pend(group, producer.producerId, positions);
        return true;
    }

    /** Ends the producer's transaction; false if the producer is fenced. The markers land later. */
    boolean end(Producer producer, int epoch, Ending how) {
        if (producer.epoch != epoch) {
            return false;
        }
        if (producer.status == Status.ONGOING) {
            prepare(producer, how == Ending.COMMIT);
        }
        return true;
    }

    /** How a transaction ends. */
    enum Ending {
        COMMIT,
        ABORT
    }

    private boolean begin(Producer producer, int epoch) {
        if (producer.epoch != epoch) {
            return false;
        }
        finish(producer);
        if (producer.status == Status.EMPTY) {
            producer.status = Status.ONGOING;
            producer.startedMillis = nowMillis.getAsLong();
        }
        return true;
    }

    private void prepare(Producer producer, boolean committing) {
        producer.status = Status.PREPARED;
        producer.committing = committing;
        producer.epoch++;
        ending.add(producer);
        if (producer.markersLeft() == 0) {
            complete(producer);
        }
    }

    /** Aborts transactions that have been open for longer than the given time. */
    void expire(long timeoutMillis) {
        long now = nowMillis.getAsLong();
        for (var producer : producers.values()) {
            if (producer.status == Status.ONGOING && now - producer.startedMillis > timeoutMillis) {
                prepare(producer, false);
            }
        }
    }

    List<Producer> ending() {
        return ending;
    }

    int markersLeft(Producer producer) {
        return producer.markersLeft();
    }

    /** Writes all markers that the producer's last transaction still lacks. */
    void finish(Producer producer) {
        while (producer.status == Status.PREPARED) {
            land(producer, 0);
        }
    }

    /** Ends, with all their markers, the transactions that hold positions of the group and have been told to end. */
    void finishThoseOf(String group) {
        for (var producer : List.copyOf(ending)) {
            if (producer.groups.contains(group)) {
                finish(producer);
            }
        }
    }

    /** Writes one of the markers that are left. */
    void land(Producer producer, int which) {
        if (which < producer.partitions.size()) {
            var log = nth(producer.partitions.values(), which);
            producer.partitions.remove(log.id());
            log.endTransaction(producer.producerId, producer.committing);
        } else {
            String group = nth(producer.groups, which - producer.partitions.size());
            producer.groups.remove(group);
            groups.land(group, producer.producerId, producer.committing);
        }
        if (producer.markersLeft() == 0) {
            complete(producer);
        }
    }

    private void complete(Producer producer) {
        producer.status = Status.EMPTY;
        ending.remove(producer);
    }

    @Nullable
    Producer find(String id) {
        return producers.get(id);
    }

    private static <T> T nth(Iterable<T> items, int n) {
        var iterator = items.iterator();
        for (int i = 0; i < n; i++) {
            iterator.next();
        }
        return iterator.next();
    }
}
