package dev.weir.state;

import dev.weir.codec.Codec;
import dev.weir.codec.UnencodableException;
import org.jspecify.annotations.Nullable;

/** A value that can never change and becomes bytes when somebody needs them: once, however often its key is read. */
final class Unencoded {

    private final Object value;
    private final Codec<Object> codec;
    private final int size;
    private volatile byte @Nullable [] bytes;

    @SuppressWarnings("unchecked") // The codec gets back what it belongs to.
    Unencoded(Object value, Codec<?> codec) {
        this.value = value;
        this.codec = (Codec<Object>) codec;
        this.size = codec.typicalSize();
    }

    /** The value itself. */
    Object value() {
        return value;
    }

    /**
     * Its bytes; from any thread.
     *
     * @throws UnencodableException if it cannot be encoded
     */
    byte[] bytes() {
        byte[] known = bytes;
        if (known == null) {
            try {
                known = codec.encode(value);
            } catch (RuntimeException e) {
                throw new UnencodableException(e);
            }
            bytes = known;
        }
        return known;
    }

    /** The bytes of what an overlay holds: nothing, bytes, or one of these. */
    static byte @Nullable [] bytesOf(@Nullable Object held) {
        return held instanceof Unencoded later ? later.bytes() : (byte[]) held;
    }

    /** About how many bytes it will have. */
    int size() {
        return size;
    }
}
