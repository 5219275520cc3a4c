package dev.weir.codec;

/**
 * Values of one type to bytes and back. Safe for use by several threads.
 *
 * @param <T> the type
 */
public interface Codec<T> {

    /**
     * The bytes of a value; the value is not referred to afterwards.
     *
     * @throws IllegalArgumentException if the value cannot be encoded
     */
    byte[] encode(T value);

    /**
     * The value that {@link #encode} made these bytes from. The array may become the value: it must
     * be the caller's own, and must not be used afterwards.
     *
     * @throws IllegalArgumentException if they are not the bytes of such a value
     */
    T decode(byte[] bytes);

    /** Whether its values can never change, so that an object may be handed out again and encoded later. */
    default boolean isImmutable() {
        return false;
    }

    /** About how many bytes a value has that is not encoded yet. */
    default int typicalSize() {
        return 64;
    }
}
