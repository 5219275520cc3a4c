package dev.weir.worker;

import dev.weir.barrier.Aligner;
import dev.weir.kafka.TransactionalSink;
import dev.weir.snapshot.Manifest.Delta;
import dev.weir.snapshot.Manifest.LastCut;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.state.Changes;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
record SealedEpoch(long number, TransactionalSink sink, long cut, List<TaskEpoch> tasks, long sealedAtMillis) {

    /**
     * One task's part.
     *
     * @param snapshot its durable state once the delta is written: all but that delta is filled in
     * @param changes what it changed, or null if it could not change anything (it is new, or being restored)
     * @param cutsNow whether this epoch ends the task's cut for the epoch's checkpoint
     */
    record TaskEpoch(TaskSnapshot snapshot, @Nullable Changes changes, boolean cutsNow) {

        /** The task's part of an epoch that ends now, with the cut if the task is cut. Its running overlay is frozen. */
        static TaskEpoch of(Task task, Aligner.@Nullable Cut cut) {
            var committed = task.committed();
            long epoch = task.epoch() + 1;
            var positions = new TreeMap<>(task.positions());
            var aligned = cut == null ? null : cut.aligned().get(task.id);
            var lastCut = aligned != null && cut != null
                    ? new LastCut(cut.checkpoint(), epoch, null, aligned, positions)
                    : committed != null ? committed.lastCut() : new LastCut(0, 0, null, false, Map.of());
            var base = task.base();
            var deltas = committed == null
                    ? List.<Delta>of()
                    : base == null
                            ? committed.deltas()
                            : committed.deltas().stream()
                                    .filter(delta -> delta.epoch() > base.epoch())
                                    .toList();
            var states = task.state() == null && committed != null ? committed.states() : task.stateEntries();
            var snapshot = new TaskSnapshot(task.id, epoch, positions, lastCut, base, deltas, states);
            var changes = task.state() == null ? null : task.openState().freeze(task.id, epoch);
            return new TaskEpoch(snapshot, changes, aligned != null);
        }

        TaskId task() {
            return snapshot.task();
        }

        boolean hasChanges() {
            return changes != null && !changes.isEmpty();
        }
    }

    /** All positions that the transaction carries. */
    Map<TopicPartition, Long> positions() {
        var all = new HashMap<TopicPartition, Long>();
        tasks.forEach(task -> all.putAll(task.snapshot.positions()));
        return all;
    }
}
