package dev.weir.barrier;

import dev.weir.topology.TaskId;

/**
 * A task's part of a checkpoint as its worker acknowledges it.
 *
 * @param task the task
 * @param epoch the task's epoch that the cut ended
 * @param manifest the manifest that holds the snapshot
 */
public record TaskCut(TaskId task, long epoch, ManifestRef manifest) {}
