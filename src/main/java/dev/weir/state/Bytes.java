package dev.weir.state;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;

/** A byte array as a map key, compared as unsigned bytes. The array must not be changed. */
public final class Bytes implements Comparable<Bytes> {

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final byte[] array;
    private final int hash;

    private Bytes(byte[] array) {
        this.array = array;
        this.hash = hash(array, 0, array.length);
    }

    /** What {@link #hashCode()} is for such bytes. */
    static int hash(byte[] array, int offset, int length) {
        int hash = 1;
        int at = offset;
        for (; at + 8 <= offset + length; at += 8) {
            long word = (long) LONG.get(array, at);
            hash = hash * 0x9E3779B1 + (int) ((word ^ word >>> 29) * 0xBF58476D1CE4E5B9L >>> 32);
        }
        for (; at < offset + length; at++) {
            hash = hash * 31 + array[at];
        }
        return hash;
    }

    /** Wraps an array without copying it. */
    public static Bytes of(byte[] array) {
        return new Bytes(array);
    }

    /** The array itself. */
    public byte[] array() {
        return array;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes bytes && hash == bytes.hash && Arrays.equals(array, bytes.array);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public int compareTo(Bytes other) {
        return Arrays.compareUnsigned(array, other.array);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(array);
    }
}
