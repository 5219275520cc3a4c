package dev.weir.snapshot;

import dev.weir.barrier.DomainState.Ancestor;
import dev.weir.barrier.ManifestRef;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one worker thread's epoch made durable: for every task whose position its transaction carries, all that is needed to restore it.
 *
 * @param format the format's version, {@link #FORMAT}
 * @param domain the domain
 * @param incarnation the domain's incarnation
 * @param lineage earlier incarnations and where the life line left them
 * @param slot who wrote it
 * @param slotEpoch the slot's own count of its epochs
 * @param createdAtMillis when, by the writer's clock; for people only
 * @param tasks the tasks
 */
public record Manifest(
        int format,
        String domain,
        long incarnation,
        Map<Long, Ancestor> lineage,
        String slot,
        long slotEpoch,
        long createdAtMillis,
        List<TaskSnapshot> tasks) {

    /** The version that is written. */
    public static final int FORMAT = 1;

    /** The entry of a task, or null. */
    public @Nullable TaskSnapshot task(TaskId task) {
        return tasks.stream().filter(t -> t.task().equals(task)).findFirst().orElse(null);
    }

    /**
     * One task's durable state: the base and the deltas after it, in order.
     *
     * @param epoch the task's epoch that this is the end of; 0 for a task that has not processed anything
     * @param positions for each of its input partitions the offset of the next record to be processed
     * @param lastCut its last cut
     * @param base null if the state is the deltas alone
     * @param deltas ascending by epoch, all above the base's epoch
     * @param states the states by name, with the number that stands for each in the storage keys
     */
    public record TaskSnapshot(
            TaskId task,
            long epoch,
            Map<TopicPartition, Long> positions,
            LastCut lastCut,
            @Nullable Base base,
            List<Delta> deltas,
            List<StateEntry> states) {}

    /**
     * A task's last cut.
     *
     * @param checkpoint the checkpoint's id; for a task without a cut the highest id started when it was admitted, or 0
     * @param epoch the task's epoch that the cut ended
     * @param manifest the manifest of the cut; null if it is this one, or if there was no cut yet
     * @param aligned whether every input had met its marker; false if the alignment timed out
     * @param positions the positions at the cut
     */
    public record LastCut(
            long checkpoint,
            long epoch,
            @Nullable ManifestRef manifest,
            boolean aligned,
            Map<TopicPartition, Long> positions) {}

    /** The files of a base and the epoch that they are the state of. */
    public record Base(long epoch, List<BaseFile> files) {

        /** All bytes of its files. */
        public long sizeBytes() {
            return files.stream().mapToLong(f -> f.content().length()).sum();
        }
    }

    /** A file of a base. */
    public record BaseFile(String name, Range content) {}

    /** What an epoch changed. */
    public record Delta(long epoch, Range content) {}

    /** Part of an object, or all of it, and the SHA-256 (hex) of that part. */
    public record Range(String object, long offset, long length, String sha256) {}

    /**
     * A state of the processor.
     *
     * @param number stands for the name in storage keys; never changes for a task
     * @param kind {@code value} or {@code map}
     * @param type a description of the types, to be compared
     */
    public record StateEntry(String name, int number, String kind, String type) {}
}
