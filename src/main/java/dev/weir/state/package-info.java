/**
 * Keyed state: overlays, deltas and the stores that hold committed state on the local disk.
 *
 * <p>It must not know Kafka, the object store, or when a commit happens.
 */
@NullMarked
package dev.weir.state;

import org.jspecify.annotations.NullMarked;
