package dev.weir.api;

import org.jspecify.annotations.Nullable;

/**
 * One message of an input topic. Valid only during the call that it is handed to.
 *
 * @param <K> the type of the key
 * @param <V> the type of the value
 */
public interface Message<K extends @Nullable Object, V extends @Nullable Object> {

    /** The topic that it was read from. */
    String topic();

    /** The partition that it was read from. */
    int partition();

    /** Its offset in the partition. */
    long offset();

    /** Its timestamp in milliseconds since the Unix epoch, or −1 if it has none. */
    long timestamp();

    /** The key; null if the message has none (keyed state cannot be reached then). */
    K key();

    /** The value; null for a tombstone. */
    V value();

    /** Whether the value is null, which is not the same as an empty value. */
    boolean isTombstone();

    /** Its headers, in their order. */
    Headers headers();
}
