package dev.weir.state;

import org.jspecify.annotations.Nullable;

/** Is shown entries where they stand, so that none is copied. */
@FunctionalInterface
interface EntryVisitor {

    /** One entry; without a value array it was removed. The arrays must not be changed or kept. */
    void visit(byte[] keys, int keyOffset, int keyLength, byte @Nullable [] values, int valueOffset, int valueLength);
}
