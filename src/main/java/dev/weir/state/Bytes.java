package dev.weir.state;

import java.util.Arrays;
import java.util.HexFormat;

/** A byte array as a map key, compared as unsigned bytes. The array must not be changed. */
public final class Bytes implements Comparable<Bytes> {

    private final byte[] array;
    private final int hash;

    private Bytes(byte[] array) {
        this.array = array;
        this.hash = Arrays.hashCode(array);
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
