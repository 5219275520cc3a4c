package dev.weir.worker;

/** A thread's epoch that records are processed into: since when it has something to commit, and how much it may hold. Owned by the thread. */
final class RunningEpoch {

    /** How many times the bound of a running epoch may be held in memory until the local disk has taken it. */
    private static final int UNAPPLIED_FACTOR = 4;

    private static final long MIN_OVERLAY_BYTES = 64 << 10;

    private final WorkerSettings settings;
    private final TaskTable tasks;
    private boolean dirty;
    private long dirtySinceMillis;
    private long overlayBound;

    RunningEpoch(WorkerSettings settings, TaskTable tasks) {
        this.settings = settings;
        this.tasks = tasks;
        this.overlayBound = settings.overlayBytes();
    }

    boolean isDirty() {
        return dirty;
    }

    /** It has something to commit now. */
    void touch(long nowMillis) {
        if (!dirty) {
            dirty = true;
            dirtySinceMillis = nowMillis;
        }
    }

    /** It has ended, one way or the other, and the next one begins. */
    void clear() {
        dirty = false;
    }

    long ageMillis(long nowMillis) {
        return nowMillis - dirtySinceMillis;
    }

    boolean isDue(long nowMillis, Epochs.Occasion occasion) {
        if (!dirty) {
            return hasNewTask();
        }
        var interval = settings.commitInterval();
        return occasion == Epochs.Occasion.REVOKE
                || isFull(nowMillis)
                || (interval != null && ageMillis(nowMillis) >= interval.toMillis())
                || hasNewTask();
    }

    private boolean hasNewTask() {
        for (var task : tasks.all()) {
            if (task.isNew()) {
                return true;
            }
        }
        return false;
    }

    boolean isFull(long nowMillis) {
        return dirty
                && (ageMillis(nowMillis) >= settings.transactionTimeout().toMillis() / 3
                        || runningBytes() >= overlayBound);
    }

    /** Whether what the local disk has not taken yet leaves room for more. */
    boolean hasRoom() {
        return overlayBytes() < UNAPPLIED_FACTOR * settings.overlayBytes();
    }

    /** The store was too slow for an epoch: the next ones are smaller. */
    void shrink() {
        overlayBound = Math.min(settings.overlayBytes(), Math.max(MIN_OVERLAY_BYTES, overlayBound / 2));
    }

    /** The store has taken an epoch: the next ones may be larger again. */
    void grow() {
        overlayBound = Math.min(settings.overlayBytes(), overlayBound * 2);
    }

    private long runningBytes() {
        long bytes = 0;
        for (var task : tasks.all()) {
            var state = task.state();
            if (state != null) {
                bytes += state.runningBytes();
            }
        }
        return bytes;
    }

    /** What is held in memory of this epoch and of earlier ones. */
    long overlayBytes() {
        long bytes = 0;
        for (var task : tasks.all()) {
            var state = task.state();
            if (state != null) {
                bytes += state.overlayBytes();
            }
        }
        return bytes;
    }
}
