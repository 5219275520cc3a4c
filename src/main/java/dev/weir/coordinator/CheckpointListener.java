package dev.weir.coordinator;

import java.time.Duration;

/**
 * Is told of the checkpoints that this process leads. Called on the coordinator's thread; must not block or throw. A checkpoint that an
 * earlier leader started is told of only when it ends.
 */
public interface CheckpointListener {

    /** Does nothing. */
    CheckpointListener NOOP = new CheckpointListener() {};

    /** A checkpoint has begun. */
    default void started(long checkpoint) {}

    /** A checkpoint is complete. */
    default void completed(long checkpoint, Duration took) {}

    /** A checkpoint is given up. */
    default void abandoned(long checkpoint, Duration took, String reason) {}
}
