package dev.weir.worker.commit;

import dev.weir.kafka.TransactionalSink;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.state.Changes;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A thread's epoch that has ended: everything that its commit will carry, unchangeable.
 *
 * @param number the slot's count of its epochs
 * @param sink the producer that holds its transaction
 * @param cut the checkpoint that it was cut for, or 0
 * @param tasks every task whose position the transaction carries
 * @param sealedAtMillis when it ended
 */
public record SealedEpoch(long number, TransactionalSink sink, long cut, List<TaskEpoch> tasks, long sealedAtMillis) {

    /**
     * One task's part.
     *
     * @param snapshot its durable state once the delta is written: all but that delta is filled in
     * @param changes what it changed, or null if it could not change anything (it is new, or being restored)
     * @param cutsNow whether this epoch ends the task's cut for the epoch's checkpoint
     */
    public record TaskEpoch(TaskSnapshot snapshot, @Nullable Changes changes, boolean cutsNow) {

        /** Whose part it is. */
        public TaskId task() {
            return snapshot.task();
        }

        /** Whether it changed any state. */
        public boolean hasChanges() {
            return changes != null && !changes.isEmpty();
        }
    }

    /** All positions that the transaction carries. */
    public Map<TopicPartition, Long> positions() {
        var all = new HashMap<TopicPartition, Long>();
        tasks.forEach(task -> all.putAll(task.snapshot.positions()));
        return all;
    }
}
