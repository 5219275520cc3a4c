package dev.weir.api;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The current key's map in a {@link MapState}. Changes take effect when the handler returns.
 *
 * @param <K> the type of the map's keys
 * @param <V> the type of the map's values
 */
public interface MapAccess<K, V> {

    /** The value of an entry, or null if there is no such entry. */
    @Nullable
    V get(K key);

    /** The value of an entry, or {@code fallback} if there is no such entry. */
    default V getOr(K key, V fallback) {
        V value = get(key);
        return value == null ? fallback : value;
    }

    /** Sets an entry; key and value are encoded at once. */
    void put(K key, V value);

    /** Removes an entry. */
    void remove(K key);

    /**
     * Hands over each entry, in the order of the encoded keys. The map must not be changed meanwhile.
     */
    void forEach(BiConsumer<? super K, ? super V> action);

    /** Whether the map has no entry. */
    boolean isEmpty();

    /** Removes all entries; it reads them all. */
    void clear();
}
