package dev.weir.api;

import org.apache.kafka.common.serialization.Serde;

/**
 * One value for each key.
 *
 * @param name the state's name, unique in its processor
 * @param type how values become bytes
 * @param <T> the type of the values, best immutable
 */
public record ValueState<T>(String name, StateType<T> type) implements StateDescriptor {

    /** A state whose values are encoded by Jackson. */
    public static <T> ValueState<T> of(String name, Class<T> type) {
        return new ValueState<>(name, new StateType.Json<>(type));
    }

    /** A state whose values are encoded by a Kafka serde. */
    public static <T> ValueState<T> of(String name, Serde<T> serde) {
        return new ValueState<>(name, new StateType.WithSerde<>(serde));
    }
}
