/**
 * The validated model of a domain: processors, topics, partitions and tasks.
 *
 * <p>It must not know Kafka's clients, clocks or files: it is values alone.
 */
@NullMarked
package dev.weir.topology;

import org.jspecify.annotations.NullMarked;
