package dev.weir.snapshot;

import dev.weir.state.Changes;

/** Reads what one epoch of one task changed from the bytes of its section in a delta object. */
@FunctionalInterface
public interface DeltaReader {

    /**
     * The changes.
     *
     * @throws dev.weir.failure.CorruptionException if the bytes are not a delta
     */
    Changes read(byte[] section);
}
