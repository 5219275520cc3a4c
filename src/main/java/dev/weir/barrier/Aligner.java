package dev.weir.barrier;

import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides for one worker thread where its tasks cut for a checkpoint.
 *
 * <p>A partition is held at the first marker of an open checkpoint that it meets, while the others go on; when every partition of
 * every task that has not cut the checkpoint yet has met a marker of it, they cut together. A partition has met the marker too when
 * its position is at or past the offset at which the marker was written. When the timeout runs out first, they cut where they are.
 * After Chandy and Lamport, "Distributed Snapshots" (1985), for channels that are partitions of a log.
 */
public final class Aligner {

    private static final long NONE = 0;

    private final long timeoutMillis;
    private final Map<TaskId, Member> members = new LinkedHashMap<>();
    private final Map<TopicPartition, Input> inputs = new LinkedHashMap<>();
    private final TreeSet<Long> open = new TreeSet<>();
    private final Map<Long, Map<TopicPartition, Long>> placed = new LinkedHashMap<>();
    private long highestKnown;
    /** The highest checkpoint that was ever aligned for: on the way to it markers of lower ones were passed, so none is cut any more. */
    private long floor = NONE;

    private long target = NONE;
    private long learnedAtMillis;

    /** An aligner that cuts without waiting any longer when this time has passed since it learned of a checkpoint. */
    public Aligner(long timeoutMillis) {
        this.timeoutMillis = timeoutMillis;
    }

    /** What to do now: cut these tasks for this checkpoint. The value says whether the task had met all its markers. */
    public record Cut(long checkpoint, Map<TaskId, Boolean> aligned) {}

    /** Takes over what the control topic says: at the start, and where single records of it were not heard. */
    public void begin(DomainState domain, long nowMillis) {
        highestKnown = Math.max(highestKnown, domain.highestStarted());
        open.removeIf(domain::isClosed);
        placed.keySet().removeIf(domain::isClosed);
        domain.open().values().forEach(checkpoint -> {
            open.add(checkpoint.id());
            if (checkpoint.markers() != null) {
                placed.put(checkpoint.id(), checkpoint.markers());
            }
        });
        retarget(nowMillis);
    }

    /** Adds a task that stands still at these positions: it has met every marker in so far as it will never read on before it moves. */
    public void addStanding(TaskId task, Map<TopicPartition, Long> positions, long lastCut, long nowMillis) {
        members.put(task, new Member(lastCut, false));
        positions.forEach((partition, position) -> inputs.put(partition, new Input(task, position)));
        retarget(nowMillis);
    }

    /** The task reads from now on. */
    public void setMoving(TaskId task) {
        members.computeIfPresent(task, (id, member) -> new Member(member.lastCut, true));
    }

    /** The task does not read any more. */
    public void setStanding(TaskId task) {
        members.computeIfPresent(task, (id, member) -> new Member(member.lastCut, false));
    }

    /** Forgets a task. */
    public void remove(TaskId task) {
        members.remove(task);
        inputs.values().removeIf(input -> input.task.equals(task));
        retarget(learnedAtMillis);
    }

    /** Puts a task back to an earlier point: its markers from there on will be met again. */
    public void rewind(TaskId task, Map<TopicPartition, Long> positions, long lastCut, long nowMillis) {
        var before = members.get(task);
        if (before == null) {
            return;
        }
        members.put(task, new Member(lastCut, before.moving));
        positions.forEach((partition, position) -> inputs.put(partition, new Input(task, position)));
        retarget(nowMillis);
    }

    /** A checkpoint has been started. */
    public void onStarted(long checkpoint, long nowMillis) {
        learn(checkpoint);
        retarget(nowMillis);
    }

    /** The markers of a checkpoint stand at these offsets. */
    public void onPlaced(long checkpoint, Map<TopicPartition, Long> offsets) {
        if (open.contains(checkpoint)) {
            placed.put(checkpoint, offsets);
        }
    }

    /** A checkpoint has been completed or abandoned: nothing waits for it any more. */
    public void onClosed(long checkpoint, long nowMillis) {
        highestKnown = Math.max(highestKnown, checkpoint);
        open.remove(checkpoint);
        placed.remove(checkpoint);
        retarget(nowMillis);
    }

    /**
     * A marker of this domain and incarnation was read.
     *
     * @return whether the partition is held there
     */
    public boolean onMarker(TopicPartition partition, long checkpoint, long nowMillis) {
        var input = inputs.get(partition);
        if (input == null || checkpoint <= lastCut(input.task)) {
            return false;
        }
        learn(checkpoint);
        if (!open.contains(checkpoint)) {
            return false;
        }
        input.met = Math.max(input.met, checkpoint);
        retarget(nowMillis);
        return isHeld(partition);
    }

    /** The partition's next record to be processed is this one. */
    public void onPosition(TopicPartition partition, long position) {
        var input = inputs.get(partition);
        if (input != null) {
            input.position = position;
        }
    }

    /** The offset at which the partition is held at the latest; {@link Long#MAX_VALUE} if it is not known or does not matter. */
    public long holdOffset(TopicPartition partition) {
        var input = inputs.get(partition);
        if (input == null || target == NONE || lastCut(input.task) >= target) {
            return Long.MAX_VALUE;
        }
        return markerOffset(target, partition);
    }

    /** Whether nothing more of the partition may be processed before the cut. */
    public boolean isHeld(TopicPartition partition) {
        var input = inputs.get(partition);
        return input != null && target != NONE && lastCut(input.task) < target && hasMet(partition, input);
    }

    /** The cut that is due, or null. */
    public @Nullable Cut due(long nowMillis) {
        if (target == NONE) {
            return null;
        }
        boolean late = nowMillis - learnedAtMillis >= timeoutMillis;
        var aligned = new LinkedHashMap<TaskId, Boolean>();
        for (var member : members.entrySet()) {
            if (member.getValue().lastCut >= target) {
                continue;
            }
            boolean met = hasMetAll(member.getKey());
            if (!met && !late && member.getValue().moving) {
                return null;
            }
            aligned.put(member.getKey(), met);
        }
        return aligned.isEmpty() ? null : new Cut(target, aligned);
    }

    /** The tasks have cut. */
    public void onCut(Cut cut, long nowMillis) {
        cut.aligned()
                .keySet()
                .forEach(task -> members.computeIfPresent(
                        task, (id, member) -> new Member(Math.max(member.lastCut, cut.checkpoint()), member.moving)));
        retarget(nowMillis);
    }

    /** The checkpoint that the thread is aligning for, or 0. */
    public long target() {
        return target;
    }

    /** When the alignment that is under way began to count. */
    public long learnedAtMillis() {
        return learnedAtMillis;
    }

    /** A task's last cut, or 0. */
    public long lastCut(TaskId task) {
        var member = members.get(task);
        return member == null ? NONE : member.lastCut;
    }

    /** Partitions that are held now. */
    public List<TopicPartition> held() {
        var held = new ArrayList<TopicPartition>();
        inputs.keySet().stream().filter(this::isHeld).forEach(held::add);
        return held;
    }

    /** The partitions of a task. */
    Set<TopicPartition> partitions(TaskId task) {
        var of = new TreeSet<TopicPartition>();
        inputs.forEach((partition, input) -> {
            if (input.task.equals(task)) {
                of.add(partition);
            }
        });
        return of;
    }

    private void learn(long checkpoint) {
        if (checkpoint > highestKnown) {
            highestKnown = checkpoint;
            open.add(checkpoint);
        }
    }

    /** The target is the highest open checkpoint if some task has not cut it; a higher one keeps the clock of the one before. */
    private void retarget(long nowMillis) {
        long before = target;
        long next = NONE;
        if (!open.isEmpty() && open.last() >= floor) {
            long highest = open.last();
            boolean wanted = members.values().stream().anyMatch(member -> member.lastCut < highest);
            next = wanted ? highest : NONE;
        }
        target = next;
        floor = Math.max(floor, next);
        if (before == NONE && next != NONE) {
            learnedAtMillis = nowMillis;
        }
    }

    private boolean hasMetAll(TaskId task) {
        for (var input : inputs.entrySet()) {
            if (input.getValue().task.equals(task) && !hasMet(input.getKey(), input.getValue())) {
                return false;
            }
        }
        return true;
    }

    private boolean hasMet(TopicPartition partition, Input input) {
        return input.met >= target || input.position >= markerOffset(target, partition);
    }

    private long markerOffset(long checkpoint, TopicPartition partition) {
        var offsets = placed.get(checkpoint);
        var offset = offsets == null ? null : offsets.get(partition);
        return offset == null ? Long.MAX_VALUE : offset;
    }

    private record Member(long lastCut, boolean moving) {}

    private static final class Input {
        final TaskId task;
        long position;
        long met = NONE;

        Input(TaskId task, long position) {
            this.task = task;
            this.position = position;
        }
    }
}
