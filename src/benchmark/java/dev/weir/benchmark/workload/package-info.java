/**
 * The work that every worker does, how it is checked, and what workers tell the driver.
 *
 * <p>It must not know Kafka, nor any of those who do the work: it is on all their class paths.
 */
@NullMarked
package dev.weir.benchmark.workload;

import org.jspecify.annotations.NullMarked;
