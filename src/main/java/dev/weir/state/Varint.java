package dev.weir.state;

/** Unsigned numbers in one to five bytes, the low seven bits first; each number has exactly one encoding. */
public final class Varint {

    private Varint() {}

    /** How many bytes a number takes. */
    public static int size(int value) {
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(value | 1);
        return (bits + 6) / 7;
    }

    /** Writes a number and returns the index after it. */
    public static int put(byte[] target, int at, int value) {
        int rest = value;
        int index = at;
        while ((rest & ~0x7F) != 0) {
            target[index++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        target[index++] = (byte) rest;
        return index;
    }

    /**
     * Reads a number; the index after it is {@code at + size(number)}.
     *
     * @throws IllegalArgumentException if no number from 0 to {@link Integer#MAX_VALUE} stands there, before {@code end}
     */
    public static int get(byte[] source, int at, int end) {
        long value = 0;
        for (int length = 0; length < 5; length++) {
            if (at + length >= end) {
                throw new IllegalArgumentException("number cut off at byte " + at);
            }
            byte next = source[at + length];
            value |= (long) (next & 0x7F) << (7 * length);
            if (next >= 0) {
                if (value > Integer.MAX_VALUE || size((int) value) != length + 1) {
                    break;
                }
                return (int) value;
            }
        }
        throw new IllegalArgumentException("malformed number at byte " + at);
    }
}
