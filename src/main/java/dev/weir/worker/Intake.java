package dev.weir.worker;

import dev.weir.kafka.Records;
import dev.weir.topology.TopicPartition;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was polled and is not processed yet: for each partition the batch that is being processed and at most one more, for which the
 * state is read meanwhile. A partition with two batches is paused. Owned by the thread.
 */
final class Intake {

    private static final int MOST_BATCHES = 2;

    private final Map<TopicPartition, ArrayDeque<Backlog>> backlogs = new LinkedHashMap<>();

    /** A batch and how far it is processed. */
    static final class Backlog {
        final Records records;
        int next;
        /** Whether its state is being read ahead; it is not processed before that has ended. */
        boolean reading;

        private Backlog(Records records) {
            this.records = records;
        }

        boolean isDone() {
            return next >= records.size();
        }
    }

    Backlog add(Records records) {
        var batches = backlogs.computeIfAbsent(records.partition(), partition -> new ArrayDeque<>(MOST_BATCHES));
        if (batches.size() == MOST_BATCHES) {
            throw new IllegalStateException(
                    "Cannot take records of " + records.partition() + ": it is paused and has a backlog");
        }
        var backlog = new Backlog(records);
        batches.add(backlog);
        return backlog;
    }

    /** The batch that is processed next or is being processed, or null. */
    @Nullable
    Backlog first(TopicPartition partition) {
        var batches = backlogs.get(partition);
        return batches == null ? null : batches.peek();
    }

    boolean has(TopicPartition partition) {
        return backlogs.containsKey(partition);
    }

    /** Whether no more may be polled of a partition. */
    boolean isFull(TopicPartition partition) {
        var batches = backlogs.get(partition);
        return batches != null && batches.size() == MOST_BATCHES;
    }

    boolean isEmpty() {
        return backlogs.isEmpty();
    }

    /** Whether the state of any batch that comes next is being read. */
    boolean isReading() {
        for (var batches : backlogs.values()) {
            if (batches.getFirst().reading) {
                return true;
            }
        }
        return false;
    }

    /** The partitions that have a backlog, now. */
    List<TopicPartition> partitions() {
        return List.copyOf(backlogs.keySet());
    }

    /** The first batch of a partition is processed. */
    void removeFirst(TopicPartition partition) {
        var batches = backlogs.get(partition);
        if (batches != null) {
            batches.poll();
            if (batches.isEmpty()) {
                backlogs.remove(partition);
            }
        }
    }

    void drop(TopicPartition partition) {
        backlogs.remove(partition);
    }
}
