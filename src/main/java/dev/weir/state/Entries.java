package dev.weir.state;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Storage keys and what became of them; unchangeable while anybody visits them. */
public interface Entries {

    /** Is shown entries where they stand, so that none is copied. */
    @FunctionalInterface
    interface Visitor {

        /** One entry; without a value array it was removed. The arrays must not be changed or kept. */
        void visit(
                byte[] keys, int keyOffset, int keyLength, byte @Nullable [] values, int valueOffset, int valueLength);
    }

    /** How many there are. */
    int size();

    /**
     * Shows all, in ascending order of unsigned bytes.
     *
     * @throws dev.weir.codec.UnencodableException if a value cannot be encoded
     */
    void visit(Visitor visitor);

    /** The entries of a map. */
    static Entries of(Map<Bytes, byte @Nullable []> map) {
        var sorted = new TreeMap<>(map);
        return new Entries() {
            @Override
            public int size() {
                return sorted.size();
            }

            @Override
            public void visit(Visitor visitor) {
                sorted.forEach((key, value) ->
                        visitor.visit(key.array(), 0, key.array().length, value, 0, value == null ? 0 : value.length));
            }
        };
    }

    /** Ranges of one array, each ending where its length says: {@code ranges} holds key offset, key length, value offset, value length. */
    static Entries in(byte[] array, int[] ranges) {
        return new Entries() {
            @Override
            public int size() {
                return ranges.length / 4;
            }

            @Override
            public void visit(Visitor visitor) {
                for (int i = 0; i < ranges.length; i += 4) {
                    boolean removed = ranges[i + 3] < 0;
                    visitor.visit(
                            array,
                            ranges[i],
                            ranges[i + 1],
                            removed ? null : array,
                            ranges[i + 2],
                            removed ? 0 : ranges[i + 3]);
                }
            }
        };
    }

    /** A copy of a range. */
    static byte[] copy(byte[] array, int offset, int length) {
        return Arrays.copyOfRange(array, offset, offset + length);
    }
}
