package dev.weir.autoconfigure;

import dev.weir.status.CheckpointStatus;
import dev.weir.status.StatusSource;
import dev.weir.status.ThreadStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A status that does not change. */
record FixedStatus(List<ThreadStatus> threads) implements StatusSource {

    @Override
    public List<CheckpointStatus> checkpoints() {
        return List.of();
    }

    @Override
    public boolean isLeader() {
        return false;
    }

    @Override
    public @Nullable String coordinationFailure() {
        return null;
    }

    @Override
    public @Nullable CheckpointStatus lastCompleted() {
        return null;
    }
}
