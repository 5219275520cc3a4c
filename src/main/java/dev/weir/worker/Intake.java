package dev.weir.worker;

import dev.weir.kafka.Records;
import dev.weir.topology.TopicPartition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was polled and is not processed yet: at most one batch a partition, since a partition with a batch is paused. */
final class Intake {

    private final Map<TopicPartition, Backlog> backlogs = new LinkedHashMap<>();

    /** A batch and how far it is processed. */
    static final class Backlog {
        final Records records;
        int next;

        private Backlog(Records records) {
            this.records = records;
        }

        boolean isDone() {
            return next >= records.size();
        }
    }

    void add(Records records) {
        var before = backlogs.putIfAbsent(records.partition(), new Backlog(records));
        if (before != null) {
            throw new IllegalStateException(
                    "Cannot take records of " + records.partition() + ": it is paused and has a backlog");
        }
    }

    @Nullable
    Backlog of(TopicPartition partition) {
        return backlogs.get(partition);
    }

    boolean has(TopicPartition partition) {
        return backlogs.containsKey(partition);
    }

    boolean isEmpty() {
        return backlogs.isEmpty();
    }

    /** The partitions that have a backlog, now. */
    List<TopicPartition> partitions() {
        return List.copyOf(backlogs.keySet());
    }

    void drop(TopicPartition partition) {
        backlogs.remove(partition);
    }
}
