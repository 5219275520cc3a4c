package dev.weir.coordinator;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ControlRecord.CheckpointAbandoned;
import dev.weir.barrier.ControlRecord.CheckpointCompleted;
import dev.weir.barrier.DomainState;
import dev.weir.barrier.DomainState.OpenCheckpoint;
import dev.weir.status.CheckpointStatus;
import dev.weir.status.CheckpointStatus.Outcome;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The newest checkpoints as the control topic tells of them. Changed by one thread, read by any. */
final class CheckpointHistory {

    static final int KEPT = 50;
    static final long NOT_KNOWN = -1;

    private final TreeMap<Long, CheckpointStatus> byId = new TreeMap<>();
    private volatile List<CheckpointStatus> newestFirst = List.of();
    private volatile @Nullable CheckpointStatus lastCompleted;

    /**
     * Takes note of what a record has changed.
     *
     * @param endedAtMillis when it was written if that is now, else {@link #NOT_KNOWN}
     */
    void changed(DomainState before, DomainState after, ControlRecord record, long endedAtMillis) {
        if (record instanceof ControlRecord.CheckpointStarted
                || record instanceof ControlRecord.Acknowledged
                || record instanceof CheckpointCompleted
                || record instanceof CheckpointAbandoned
                || record instanceof ControlRecord.FullState) {
            for (var open : before.open().values()) {
                if (!after.open().containsKey(open.id())) {
                    close(open, record, endedAtMillis);
                }
            }
            after.open().values().forEach(open -> put(status(open, Outcome.OPEN, 0, null)));
            rememberCompleted(after);
            while (byId.size() > KEPT) {
                byId.pollFirstEntry();
            }
            newestFirst = List.copyOf(byId.descendingMap().values());
        }
    }

    private void close(OpenCheckpoint open, ControlRecord record, long endedAtMillis) {
        long took = endedAtMillis == NOT_KNOWN ? NOT_KNOWN : Math.max(0, endedAtMillis - open.startedAtMillis());
        if (record instanceof CheckpointCompleted) {
            put(status(open, Outcome.COMPLETED, took, null));
        } else if (record instanceof CheckpointAbandoned abandoned) {
            put(status(open, Outcome.ABANDONED, took, abandoned.reason()));
        } else {
            byId.remove(open.id());
        }
    }

    private void rememberCompleted(DomainState state) {
        var completed = state.lastCompleted();
        var known = lastCompleted;
        if (completed != null && (known == null || known.id() < completed.id())) {
            lastCompleted = byId.getOrDefault(
                    completed.id(),
                    new CheckpointStatus(completed.id(), Outcome.COMPLETED, NOT_KNOWN, NOT_KNOWN, 0, 0, null));
        }
    }

    private void put(CheckpointStatus status) {
        byId.put(status.id(), status);
    }

    private static CheckpointStatus status(
            OpenCheckpoint open, Outcome outcome, long durationMillis, @Nullable String reason) {
        return new CheckpointStatus(
                open.id(),
                outcome,
                open.startedAtMillis(),
                durationMillis,
                open.tasks().size(),
                open.acknowledged().size(),
                reason);
    }

    /** The newest first; of those that are open, how long they have taken by now. */
    List<CheckpointStatus> newestFirst(long wallMillis) {
        return newestFirst.stream()
                .map(status -> status.outcome() == Outcome.OPEN ? takenSoFar(status, wallMillis) : status)
                .toList();
    }

    private static CheckpointStatus takenSoFar(CheckpointStatus open, long wallMillis) {
        return new CheckpointStatus(
                open.id(),
                open.outcome(),
                open.startedAtMillis(),
                Math.max(0, wallMillis - open.startedAtMillis()),
                open.tasks(),
                open.acknowledged(),
                open.reason());
    }

    @Nullable
    CheckpointStatus lastCompleted() {
        return lastCompleted;
    }
}
