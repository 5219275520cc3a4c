package dev.weir.status;

import org.jspecify.annotations.Nullable;

/**
 * One checkpoint as the coordinator saw it.
 *
 * @param id its id
 * @param outcome how it stands
 * @param startedAtMillis when it was started, milliseconds since the Unix epoch
 * @param durationMillis how long it took, or has taken so far
 * @param tasks how many tasks must acknowledge
 * @param acknowledged how many have
 * @param reason why it was abandoned, or null
 */
public record CheckpointStatus(
        long id,
        Outcome outcome,
        long startedAtMillis,
        long durationMillis,
        int tasks,
        int acknowledged,
        @Nullable String reason) {

    /** How a checkpoint stands. */
    public enum Outcome {
        OPEN,
        COMPLETED,
        ABANDONED
    }
}
