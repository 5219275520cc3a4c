package dev.weir.api;

import org.jspecify.annotations.Nullable;

/**
 * Business logic over a stream of keyed messages. One instance serves all tasks, several of them at the same time, so it has no
 * mutable fields: what must be remembered goes into state reached through the context.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
@FunctionalInterface
public interface Processor<K extends @Nullable Object, V extends @Nullable Object> {

    /**
     * Handles one message. What it sets and emits takes effect only if it returns; when it throws, the message leaves no trace and
     * {@code weir.processing.on-error} decides what happens to it.
     *
     * <p>It may be called more than once for the same message after a failure; the effects that count are those of one call.
     */
    void process(Message<K, V> message, ProcessorContext context) throws Exception;
}
