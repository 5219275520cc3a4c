package dev.weir.api;

import java.lang.reflect.Type;
import org.apache.kafka.common.serialization.Serde;

/**
 * How values of a type become bytes.
 *
 * @param <T> the type
 */
public sealed interface StateType<T> {

    /** By Jackson as JSON (text and numbers too), for a class or a generic type. */
    record Json<T>(Type type) implements StateType<T> {}

    /** By a Kafka serde of the user's choice, which must be safe for use by several threads. */
    record WithSerde<T>(Serde<T> serde) implements StateType<T> {}
}
