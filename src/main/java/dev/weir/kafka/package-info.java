/**
 * Thin adapters over Kafka's clients: source, transactional sink, control topic, markers, group offsets, assignor.
 *
 * <p>It must not know what a checkpoint, a task's state or a manifest is.
 */
@NullMarked
package dev.weir.kafka;

import org.jspecify.annotations.NullMarked;
