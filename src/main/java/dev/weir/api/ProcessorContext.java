package dev.weir.api;

import org.jspecify.annotations.Nullable;

/** What a processor can do while it handles a message. Valid only during that call, and only on its thread. */
public interface ProcessorContext {

    /** The processor's name. */
    String processor();

    /** The number of the task, which is the number of the partitions that it reads. */
    int task();

    /**
     * The value that the current message's key has in this state.
     *
     * @throws IllegalStateException if the message has no key, or the state's name is in use with another type
     */
    <T> ValueAccess<T> state(ValueState<T> state);

    /**
     * The map that the current message's key has in this state.
     *
     * @throws IllegalStateException if the message has no key, or the state's name is in use with another type
     */
    <K, V> MapAccess<K, V> state(MapState<K, V> state);

    /**
     * Emits a message with the current message's timestamp and no headers.
     *
     * @throws IllegalArgumentException if the topic is not a declared output, or the message cannot be encoded or is too large
     */
    default void emit(String topic, @Nullable Object key, @Nullable Object value) {
        emit(Emission.to(topic).key(key).value(value));
    }

    /**
     * Emits a message.
     *
     * @throws IllegalArgumentException if the topic is not a declared output, or the message cannot be encoded or is too large
     */
    void emit(Emission emission);
}
