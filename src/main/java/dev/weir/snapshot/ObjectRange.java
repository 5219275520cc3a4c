package dev.weir.snapshot;

import dev.weir.failure.CorruptionException;

/**
 * A range of an object's bytes that a reader asks for.
 *
 * @param offset of the first byte, from 0
 * @param length in bytes
 */
public record ObjectRange(long offset, long length) {

    public ObjectRange {
        if (offset < 0 || length < 0 || offset > Long.MAX_VALUE - length) {
            throw new IllegalArgumentException("Cannot read " + length + " bytes from offset " + offset
                    + " of an object: neither may be negative, nor their sum exceed 2^63-1");
        }
    }

    /** The first offset after the range. */
    public long end() {
        return offset + length;
    }

    /** Refuses an object that ends before the range does. */
    public void requireWithin(String name, String store, long sizeBytes) {
        if (end() > sizeBytes) {
            throw tooShort(name, store, sizeBytes + " bytes");
        }
    }

    /** The exception for an object that ends before the range does. */
    public CorruptionException tooShort(String name, String store, String size) {
        return new CorruptionException(
                "Cannot read bytes " + offset + " to " + end() + " of object " + name + ": it has only " + size + " in "
                        + store + "; it is damaged, restore from another checkpoint or from a copy of the store");
    }

    /** The exception for an object that is not there. */
    public static CorruptionException missing(String name, String store) {
        return new CorruptionException(
                "Cannot read object " + name + ": it is not in " + store
                        + "; check that the store is the right one, or restore from another checkpoint or from a copy of the store");
    }
}
