/**
 * Whether a task may start, and from what: decided from what its group has committed and from what its inputs are now.
 *
 * <p>It must not know tasks that run, threads or consumers.
 */
@NullMarked
package dev.weir.worker.takeover;

import org.jspecify.annotations.NullMarked;
