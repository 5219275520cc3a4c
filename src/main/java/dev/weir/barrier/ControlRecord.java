package dev.weir.barrier;

import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What stands on the domain's control topic. Workers write what they did; the leading coordinator writes what is decided. */
public sealed interface ControlRecord {

    /** Records that only the leading coordinator writes. */
    sealed interface Decided extends ControlRecord {}

    /** Records that workers write. */
    sealed interface Reported extends ControlRecord {}

    /**
     * A worker thread is about to work.
     *
     * @param slot domain.processor.instance.thread
     * @param group the consumer group of its processor
     * @param memberInstance its {@code group.instance.id}
     * @param transactionalIds the ids of its transactional producers
     * @param token unique for this start of the slot
     */
    record SlotRegistered(String slot, String group, String memberInstance, List<String> transactionalIds, String token)
            implements Reported {}

    /** A slot has gone for good: it committed, handed over and left its group. */
    record SlotReleased(String slot, String token) implements Reported {}

    /** What a processor's inputs are when it first starts; later reports of the same processor change nothing. */
    record InputsRegistered(String processor, Map<String, Input> inputs) implements Reported {}

    /** An input topic: its number of partitions, and its id, which differs if the topic is deleted and created again. */
    record Input(int partitions, String topicId) {}

    /** A task's epoch 0 is committed. */
    record TaskRegistered(TaskId task, String slot) implements Reported {}

    /** Tasks have cut a checkpoint and committed; may be said again by a new owner. */
    record Acknowledged(long checkpoint, long incarnation, String slot, List<TaskCut> cuts) implements Reported {}

    /** A task cannot take part in a checkpoint any more (its last cut is beyond it); the checkpoint must be abandoned. */
    record Declined(long checkpoint, long incarnation, TaskId task, String reason) implements Reported {}

    /** A new task may start; its last cut is the given id. */
    record TaskAdmitted(TaskId task, long lastCut) implements Decided {}

    /**
     * A checkpoint has begun.
     *
     * @param checkpoint its id, never used before
     * @param partitions every source partition that gets a marker
     * @param tasks every task that must acknowledge
     */
    record CheckpointStarted(
            long checkpoint, long incarnation, long startedAtMillis, Set<TopicPartition> partitions, Set<TaskId> tasks)
            implements Decided {}

    /** The markers of a checkpoint are in all its partitions, at these offsets (for by-offset topics, the end offset). */
    record MarkersPlaced(long checkpoint, Map<TopicPartition, Long> offsets) implements Decided {}

    /** The checkpoint is complete. */
    record CheckpointCompleted(long checkpoint, ManifestRef manifest) implements Decided {}

    /** The checkpoint is given up; the next one subsumes it. */
    record CheckpointAbandoned(long checkpoint, String reason) implements Decided {}

    /** What a dead slot left open has been aborted; the slot is no longer registered. */
    record SlotFenced(String slot, String token) implements Decided {}

    /** The domain's whole state as of all records below the offset {@code covers}. */
    record FullState(long covers, DomainState state) implements Decided {}
}
