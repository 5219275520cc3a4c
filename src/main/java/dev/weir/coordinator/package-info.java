/**
 * The leading coordinator of a domain: starts checkpoints, injects their markers, decides how each ends, admits tasks, fences dead slots.
 *
 * <p>It must not know the workers: the two meet through markers, control records and manifests only.
 */
@NullMarked
package dev.weir.coordinator;

import org.jspecify.annotations.NullMarked;
