/**
 * Manifests, upload, restore, verification and the object store that keeps them.
 *
 * <p>It must not know Kafka, RocksDB or who commits a pointer to what it stores.
 */
@NullMarked
package dev.weir.snapshot;

import org.jspecify.annotations.NullMarked;
