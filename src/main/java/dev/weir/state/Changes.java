package dev.weir.state;

import dev.weir.topology.TaskId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one epoch of one task changed: for each storage key its new value, or null where it was removed. Immutable once frozen.
 *
 * @param task the task
 * @param epoch the task's epoch
 * @param entries the changes
 */
public record Changes(TaskId task, long epoch, Map<Bytes, byte @Nullable []> entries) {}
