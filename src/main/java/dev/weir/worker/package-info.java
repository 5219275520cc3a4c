/**
 * The worker: poll loop, tasks, epochs, the transactional commit, restore and rollback.
 *
 * <p>It must not know Spring, the coordinator, or any client of Kafka, RocksDB or S3.
 */
@NullMarked
package dev.weir.worker;

import org.jspecify.annotations.NullMarked;
