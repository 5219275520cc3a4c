package dev.weir.state.rocks;

import dev.weir.failure.ConfigurationException;

/**
 * How much native memory and how many file handles RocksDB may use on this worker, all tasks together unless said otherwise.
 *
 * @param blockCacheBytes bound of blocks, indexes and filters in memory, write buffers included; default 256 MiB, at least 8 MiB
 * @param writeBufferBytes bound of what is written but not flushed to files yet, counted within {@code blockCacheBytes}; default
 *     64 MiB, at least 1 MiB and at most half of {@code blockCacheBytes}
 * @param maxOpenFilesPerTask how many files a task's store keeps open; default 128, at least 16
 */
public record RocksSettings(long blockCacheBytes, long writeBufferBytes, int maxOpenFilesPerTask) {

    private static final long MIB = 1024 * 1024;

    /** The defaults. */
    public static RocksSettings defaults() {
        return new RocksSettings(256 * MIB, 64 * MIB, 128);
    }

    /**
     * Checks the bounds.
     *
     * @throws ConfigurationException if a value is out of its bounds
     */
    public RocksSettings {
        if (blockCacheBytes < 8 * MIB) {
            throw new ConfigurationException(
                    "Cannot use a block cache of " + blockCacheBytes + " bytes: it must have at least 8 MiB");
        }
        if (writeBufferBytes < MIB || writeBufferBytes > blockCacheBytes / 2) {
            throw new ConfigurationException("Cannot use write buffers of " + writeBufferBytes
                    + " bytes: they must have at least 1 MiB and at most half of the block cache's " + blockCacheBytes
                    + " bytes");
        }
        if (maxOpenFilesPerTask < 16) {
            throw new ConfigurationException(
                    "Cannot use " + maxOpenFilesPerTask + " open files per task: there must be at least 16");
        }
    }
}
