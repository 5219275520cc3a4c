package dev.weir.barrier;

import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the control topic says about a domain; a pure fold over its records by {@link #after(ControlRecord)}. Immutable.
 *
 * @param incarnation the domain's incarnation, from 1
 * @param highestStarted the highest checkpoint id ever started, 0 if none
 * @param open checkpoints that are neither complete nor abandoned, by id
 * @param tasks every task that has an epoch 0; the value is the last cut that it was admitted with, or −1 while it is not admitted
 * @param inputs the inputs of each processor as they were when it first started
 * @param slots registered slots, by name
 * @param lastCompleted the newest complete checkpoint, or null
 * @param lineage each earlier incarnation and the checkpoint at which the life line left it
 */
public record DomainState(
        long incarnation,
        long highestStarted,
        SortedMap<Long, OpenCheckpoint> open,
        Map<TaskId, Long> tasks,
        Map<String, Map<String, ControlRecord.Input>> inputs,
        Map<String, ControlRecord.SlotRegistered> slots,
        @Nullable Completed lastCompleted,
        Map<Long, Ancestor> lineage) {

    /** A domain of which nothing has been said yet. */
    public static DomainState empty() {
        return new DomainState(1, 0, Collections.emptySortedMap(), Map.of(), Map.of(), Map.of(), null, Map.of());
    }

    /** The state after one more record; records that no longer apply change nothing. */
    public DomainState after(ControlRecord record) {
        if (record instanceof ControlRecord.SlotRegistered slot) {
            return withSlots(with(slots, slot.slot(), slot));
        } else if (record instanceof ControlRecord.SlotReleased released) {
            return withoutSlot(released.slot(), released.token());
        } else if (record instanceof ControlRecord.SlotFenced fenced) {
            return withoutSlot(fenced.slot(), fenced.token());
        } else if (record instanceof ControlRecord.InputsRegistered registered) {
            return inputs.containsKey(registered.processor())
                    ? this
                    : withInputs(with(inputs, registered.processor(), registered.inputs()));
        } else if (record instanceof ControlRecord.TaskRegistered registered) {
            return tasks.containsKey(registered.task()) ? this : withTasks(with(tasks, registered.task(), -1L));
        } else if (record instanceof ControlRecord.TaskAdmitted admitted) {
            return tasks.getOrDefault(admitted.task(), -1L) >= 0
                    ? this
                    : withTasks(with(tasks, admitted.task(), admitted.lastCut()));
        } else if (record instanceof ControlRecord.CheckpointStarted started) {
            return started(started);
        } else if (record instanceof ControlRecord.MarkersPlaced placed) {
            return change(placed.checkpoint(), checkpoint -> checkpoint.withMarkers(placed.offsets()));
        } else if (record instanceof ControlRecord.Acknowledged acknowledged) {
            return acknowledged.incarnation() != incarnation
                    ? this
                    : change(acknowledged.checkpoint(), checkpoint -> checkpoint.with(acknowledged));
        } else if (record instanceof ControlRecord.CheckpointCompleted completed) {
            var closed = close(completed.checkpoint());
            return closed.lastCompleted != null && closed.lastCompleted.id() >= completed.checkpoint()
                    ? closed
                    : closed.withLastCompleted(new Completed(completed.checkpoint(), completed.manifest()));
        } else if (record instanceof ControlRecord.CheckpointAbandoned abandoned) {
            return close(abandoned.checkpoint());
        } else if (record instanceof ControlRecord.FullState full) {
            return full.state();
        }
        return this;
    }

    /** Whether a checkpoint of this id was started and has been completed or abandoned. */
    public boolean isClosed(long checkpoint) {
        return checkpoint <= highestStarted && !open.containsKey(checkpoint);
    }

    private DomainState started(ControlRecord.CheckpointStarted started) {
        if (started.checkpoint() <= highestStarted || started.incarnation() != incarnation) {
            return this;
        }
        var more = new TreeMap<>(open);
        more.put(
                started.checkpoint(),
                new OpenCheckpoint(
                        started.checkpoint(),
                        started.startedAtMillis(),
                        started.partitions(),
                        started.tasks(),
                        null,
                        Map.of()));
        return new DomainState(
                incarnation,
                started.checkpoint(),
                Collections.unmodifiableSortedMap(more),
                tasks,
                inputs,
                slots,
                lastCompleted,
                lineage);
    }

    private DomainState change(long checkpoint, UnaryOperator<OpenCheckpoint> change) {
        var before = open.get(checkpoint);
        if (before == null) {
            return this;
        }
        var changed = new TreeMap<>(open);
        changed.put(checkpoint, change.apply(before));
        return withOpen(changed);
    }

    private DomainState close(long checkpoint) {
        if (!open.containsKey(checkpoint)) {
            return this;
        }
        var fewer = new TreeMap<>(open);
        fewer.remove(checkpoint);
        return withOpen(fewer);
    }

    private DomainState withoutSlot(String slot, String token) {
        var registered = slots.get(slot);
        if (registered == null || !registered.token().equals(token)) {
            return this;
        }
        var fewer = new HashMap<>(slots);
        fewer.remove(slot);
        return withSlots(Collections.unmodifiableMap(fewer));
    }

    private DomainState withOpen(SortedMap<Long, OpenCheckpoint> newOpen) {
        return new DomainState(
                incarnation,
                highestStarted,
                Collections.unmodifiableSortedMap(newOpen),
                tasks,
                inputs,
                slots,
                lastCompleted,
                lineage);
    }

    private DomainState withTasks(Map<TaskId, Long> newTasks) {
        return new DomainState(incarnation, highestStarted, open, newTasks, inputs, slots, lastCompleted, lineage);
    }

    private DomainState withInputs(Map<String, Map<String, ControlRecord.Input>> newInputs) {
        return new DomainState(incarnation, highestStarted, open, tasks, newInputs, slots, lastCompleted, lineage);
    }

    private DomainState withSlots(Map<String, ControlRecord.SlotRegistered> newSlots) {
        return new DomainState(incarnation, highestStarted, open, tasks, inputs, newSlots, lastCompleted, lineage);
    }

    private DomainState withLastCompleted(Completed completed) {
        return new DomainState(incarnation, highestStarted, open, tasks, inputs, slots, completed, lineage);
    }

    private static <K, V> Map<K, V> with(Map<K, V> map, K key, V value) {
        var more = new HashMap<>(map);
        more.put(key, value);
        return Collections.unmodifiableMap(more);
    }

    /** A checkpoint under way; {@code markers} is null until they are all placed. */
    public record OpenCheckpoint(
            long id,
            long startedAtMillis,
            Set<TopicPartition> partitions,
            Set<TaskId> tasks,
            @Nullable Map<TopicPartition, Long> markers,
            Map<TaskId, TaskCut> acknowledged) {

        /** Whether every task has acknowledged. */
        public boolean isAcknowledged() {
            return acknowledged.keySet().containsAll(tasks);
        }

        OpenCheckpoint withMarkers(Map<TopicPartition, Long> offsets) {
            return new OpenCheckpoint(id, startedAtMillis, partitions, tasks, Map.copyOf(offsets), acknowledged);
        }

        OpenCheckpoint with(ControlRecord.Acknowledged more) {
            var all = new HashMap<>(acknowledged);
            more.cuts().stream()
                    .filter(cut -> tasks.contains(cut.task()))
                    .forEach(cut -> all.putIfAbsent(cut.task(), cut));
            return new OpenCheckpoint(
                    id, startedAtMillis, partitions, tasks, markers, Collections.unmodifiableMap(all));
        }
    }

    /** A complete checkpoint. */
    public record Completed(long id, ManifestRef manifest) {}

    /** The parent of an incarnation and the checkpoint that it was restored from. */
    public record Ancestor(long parent, long restoredFrom) {}
}
