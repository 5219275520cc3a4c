/**
 * Committed state on the local disk, in RocksDB.
 *
 * <p>It must not know overlays, or that anything is uncommitted.
 */
@NullMarked
package dev.weir.state.rocks;

import org.jspecify.annotations.NullMarked;
