package dev.weir.api;

import org.jspecify.annotations.Nullable;

/**
 * The current key's value in a {@link ValueState}. Changes take effect when the handler returns.
 *
 * @param <T> the type of the value
 */
public interface ValueAccess<T> {

    /** The value, or null if none is set. */
    @Nullable
    T get();

    /** The value, or {@code fallback} if none is set. */
    default T getOr(T fallback) {
        T value = get();
        return value == null ? fallback : value;
    }

    /**
     * Sets the value; later changes of the object have no effect. An object that cannot change (text, numbers, enums, times, records of
     * nothing else) may be handed out again as it is, before it is encoded.
     */
    void set(T value);

    /** Removes the value. */
    void clear();
}
