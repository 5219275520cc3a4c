package dev.weir.worker.takeover;

import dev.weir.failure.CorruptionException;
import dev.weir.failure.StoppedException;
import dev.weir.kafka.CommittedPosition;
import dev.weir.snapshot.Manifest;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.snapshot.Pointer;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Decides what a task is, from what its group has committed: new, known, or in a condition that a person must look at. */
public sealed interface Takeover {

    /** Nothing was ever committed of it. */
    record New() implements Takeover {}

    /** Its state is that of this pointer. */
    record Known(Pointer pointer) implements Takeover {}

    /**
     * @param committed what the group has committed of the task's partitions
     * @param isRegistered whether the control topic knows the task
     * @throws StoppedException if the task must not start
     */
    static Takeover decide(
            String domain,
            long incarnation,
            TaskId task,
            Set<TopicPartition> partitions,
            Map<TopicPartition, CommittedPosition> committed,
            Registration isRegistered) {
        if (committed.isEmpty()) {
            if (isRegistered == Registration.REGISTERED) {
                throw new StoppedException(
                        "Cannot start " + task + ": the domain knows the task but its group has no committed"
                                + " position for " + partitions
                                + " (deleted, or expired after offsets.retention.minutes); restore the"
                                + " offsets from a checkpoint, or give the processor a new name to start it anew");
            }
            return new New();
        }
        var missing = new TreeSet<>(partitions);
        missing.removeAll(committed.keySet());
        if (!missing.isEmpty()) {
            throw new StoppedException("Cannot start " + task + ": its group has committed positions for "
                    + new TreeSet<>(committed.keySet()) + " but none for " + missing
                    + "; an input cannot be added to a processor that has state: give the processor a new name");
        }
        @Nullable Pointer pointer = null;
        for (var position : committed.entrySet()) {
            if (position.getValue().metadata().isEmpty()) {
                throw new StoppedException(
                        "Cannot start " + task + ": position "
                                + position.getValue().offset() + " of "
                                + position.getKey()
                                + " was committed without a pointer to its state (by a tool that resets offsets?);"
                                + " its state cannot follow: restore a checkpoint, or delete the group and give the processor a new name");
            }
            var read = Pointer.decode(domain, position.getValue().metadata());
            if (pointer != null && !pointer.equals(read)) {
                throw new StoppedException(
                        "Cannot start " + task + ": its positions were committed with different pointers, " + pointer
                                + " and " + read + "; restore a checkpoint");
            }
            pointer = read;
        }
        if (pointer == null || pointer.incarnation() != incarnation) {
            throw new StoppedException("Cannot start " + task + ": its pointer " + pointer
                    + " is not of the domain's incarnation " + incarnation + "; restore a checkpoint");
        }
        return new Known(pointer);
    }

    /** Whether the control topic knows a task. */
    enum Registration {
        REGISTERED,
        UNKNOWN
    }

    /** The task's entry in the manifest that the pointer names, checked against what was committed. */
    static TaskSnapshot snapshot(
            Pointer pointer, Manifest manifest, TaskId task, Map<TopicPartition, CommittedPosition> committed) {
        var snapshot = manifest.task(task);
        if (snapshot == null || snapshot.epoch() != pointer.epoch()) {
            throw new CorruptionException("Cannot start " + task + ": its pointer names epoch " + pointer.epoch()
                    + " in " + pointer.manifest().name() + ", which has "
                    + (snapshot == null ? "no such task" : "epoch " + snapshot.epoch()));
        }
        var gone = new TreeSet<>(snapshot.positions().keySet());
        gone.removeAll(committed.keySet());
        if (!gone.isEmpty()) {
            throw new StoppedException("Cannot start " + task + ": its state was made from " + gone
                    + " too, which its processor does not read any more; declare the input again, or give the processor"
                    + " a new name to build its state anew");
        }
        committed.forEach((partition, position) -> {
            var expected = snapshot.positions().get(partition);
            if (expected == null || expected != position.offset()) {
                throw new StoppedException(
                        "Cannot start " + task + ": position " + position.offset() + " of " + partition
                                + " is not the one that its state belongs to, " + expected
                                + " (reset by a tool?); restore a checkpoint, or set the position back");
            }
        });
        return snapshot;
    }
}
