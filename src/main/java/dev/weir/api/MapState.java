package dev.weir.api;

import org.apache.kafka.common.serialization.Serde;

/**
 * A map for each key, of which each entry is read and written on its own.
 *
 * @param name the state's name, unique in its processor
 * @param keyType how the map's keys become bytes
 * @param valueType how the map's values become bytes
 * @param <K> the type of the map's keys
 * @param <V> the type of the map's values, best immutable
 */
public record MapState<K, V>(String name, StateType<K> keyType, StateType<V> valueType) implements StateDescriptor {

    /** A state whose keys and values are encoded by Jackson. */
    public static <K, V> MapState<K, V> of(String name, Class<K> keyType, Class<V> valueType) {
        return new MapState<>(name, new StateType.Json<>(keyType), new StateType.Json<>(valueType));
    }

    /** A state whose keys and values are encoded by Kafka serdes. */
    public static <K, V> MapState<K, V> of(String name, Serde<K> keySerde, Serde<V> valueSerde) {
        return new MapState<>(name, new StateType.WithSerde<>(keySerde), new StateType.WithSerde<>(valueSerde));
    }
}
