/**
 * For tests: a Kafka in memory that is as unkind as the real one, a clock moved by hand, and a simulation of many processes in one
 * thread from one seed.
 *
 * <p>It must not know a worker's or a coordinator's inside, Spring, or a test framework.
 */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;
