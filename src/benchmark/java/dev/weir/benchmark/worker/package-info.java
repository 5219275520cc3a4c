/**
 * Those who do the work, each in a JVM of its own: Weir, Kafka Streams, Flink, and a bare loop of Kafka clients.
 *
 * <p>They must not know each other nor the driver: not all of them can be on one class path.
 */
@NullMarked
package dev.weir.benchmark.worker;

import org.jspecify.annotations.NullMarked;
