/**
 * The road of an epoch from its end to its commit: what it carries, what decides about it, what makes it durable, and its producers.
 *
 * <p>It must not know tasks, threads or consumers.
 */
@NullMarked
package dev.weir.worker.commit;

import org.jspecify.annotations.NullMarked;
