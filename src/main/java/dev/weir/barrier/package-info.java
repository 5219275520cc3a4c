/**
 * Barriers and what is agreed on about them: markers, control records, the domain's state folded from them, alignment and cut rules.
 *
 * <p>It must not know Kafka, files or clocks: events go in, decisions come out.
 */
@NullMarked
package dev.weir.barrier;

import org.jspecify.annotations.NullMarked;
