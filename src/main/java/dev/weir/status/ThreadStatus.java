package dev.weir.status;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One worker thread at one moment.
 *
 * @param slot its slot
 * @param processor its processor
 * @param phase what it is doing
 * @param failure why it stopped, or null
 * @param tasks its tasks
 * @param recordsTotal records processed since it started
 * @param openEpochs epochs not yet committed
 * @param aligning the checkpoint that it is aligning for, or 0
 * @param lastCommitWallMillis when it last committed, or 0
 */
public record ThreadStatus(
        String slot,
        String processor,
        Phase phase,
        @Nullable String failure,
        List<TaskStatus> tasks,
        long recordsTotal,
        int openEpochs,
        long aligning,
        long lastCommitWallMillis) {

    /** What a worker thread is doing. */
    public enum Phase {
        /** Registering and joining its group. */
        STARTING,
        /** Polling; its tasks may be restoring or running. */
        RUNNING,
        /** Not processing until the object store answers. */
        WAITING_FOR_STORE,
        /** Committing and handing over. */
        STOPPING,
        /** Ended in good order. */
        STOPPED,
        /** Ended for a reason that an operator must look at. */
        FAILED
    }
}
