package dev.weir.actuator;

import dev.weir.status.StatusSource;
import dev.weir.status.TaskStatus;
import dev.weir.status.ThreadStatus;
import java.util.List;

/** What a process's threads and tasks come to. */
enum ProcessingState {
    /** Nothing has been started, or all has been stopped in good order. */
    STOPPED,
    /** A thread or the coordination has ended, or a task stands still, for a reason that an operator must look at. */
    FAILED,
    /** Threads are joining or handing over, or tasks read their committed positions. */
    STARTING,
    /** State is being restored. */
    RESTORING,
    /** The object store does not answer. */
    WAITING_FOR_STORE,
    /** All tasks process records; a process without tasks is idle and as good. */
    READY;

    static ProcessingState of(StatusSource status) {
        var threads = status.threads();
        if (threads.stream().allMatch(thread -> thread.phase() == ThreadStatus.Phase.STOPPED)) {
            return STOPPED;
        }
        if (anyThread(threads, ThreadStatus.Phase.FAILED)
                || anyTask(threads, TaskStatus.Phase.STOPPED)
                || status.coordinationFailure() != null) {
            return FAILED;
        }
        if (anyTask(threads, TaskStatus.Phase.RESTORING)) {
            return RESTORING;
        }
        if (anyThread(threads, ThreadStatus.Phase.WAITING_FOR_STORE)) {
            return WAITING_FOR_STORE;
        }
        boolean all = threads.stream().allMatch(thread -> thread.phase() == ThreadStatus.Phase.RUNNING)
                && threads.stream()
                        .flatMap(thread -> thread.tasks().stream())
                        .allMatch(task -> task.phase() == TaskStatus.Phase.RUNNING);
        return all ? READY : STARTING;
    }

    private static boolean anyThread(List<ThreadStatus> threads, ThreadStatus.Phase phase) {
        return threads.stream().anyMatch(thread -> thread.phase() == phase);
    }

    private static boolean anyTask(List<ThreadStatus> threads, TaskStatus.Phase phase) {
        return threads.stream().flatMap(thread -> thread.tasks().stream()).anyMatch(task -> task.phase() == phase);
    }
}
