package dev.weir.status;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Supplies what runs in this process and what this process knows of the domain. Safe from any thread; never blocks. */
public interface StatusSource {

    /** This process's worker threads. */
    List<ThreadStatus> threads();

    /** The domain's newest checkpoints, newest first, a bounded number. */
    List<CheckpointStatus> checkpoints();

    /** Whether this process leads the domain's coordination. */
    boolean isLeader();

    /** Why this process takes no part in the domain's coordination any more, or null as long as it does. */
    @Nullable
    String coordinationFailure();

    /** The newest complete checkpoint and when it was completed, or null. */
    @Nullable
    CheckpointStatus lastCompleted();
}
