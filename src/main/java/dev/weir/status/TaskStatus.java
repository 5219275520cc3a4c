package dev.weir.status;

import org.jspecify.annotations.Nullable;

/**
 * One task at one moment.
 *
 * @param processor its processor
 * @param partition its partition number
 * @param phase what it is doing
 * @param epoch its last committed epoch
 * @param lastCut its last cut, 0 if none
 * @param lag records that are not processed yet, −1 if not known
 * @param restoredBytes bytes of its state restored so far
 * @param totalBytes bytes of its state to restore, −1 if not known
 * @param detail what stands in its way, or null
 */
public record TaskStatus(
        String processor,
        int partition,
        Phase phase,
        long epoch,
        long lastCut,
        long lag,
        long restoredBytes,
        long totalBytes,
        @Nullable String detail) {

    /** What a task is doing. */
    public enum Phase {
        /** Assigned; its committed position and pointer are being read. */
        ASSIGNED,
        /** New; its epoch 0 is being committed, or it waits to be admitted. */
        STARTING,
        /** Its state is being restored. */
        RESTORING,
        /** It processes records. */
        RUNNING,
        /** It stands still until an operator has done what the detail says. */
        STOPPED
    }
}
