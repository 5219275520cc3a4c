package dev.weir.testkit;

import dev.weir.testkit.TransactionCoordinator.Producer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/** What a transactional producer has been given and has not delivered yet: in order for one partition, in any order across them. */
final class Outbox {

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
