package dev.weir.state.rocks;

import java.util.ArrayDeque;
import java.util.Deque;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;

/** Native objects that all stores of a backend share. Closed after the last store. */
final class RocksHandles implements AutoCloseable {

    private static final long MIB = 1024 * 1024;
    private static final int BLOOM_BITS_PER_KEY = 10;
    private static final double INDEX_SHARE_OF_CACHE = 0.3;
    private static final double MEMTABLE_BLOOM_RATIO = 0.02;

    /** Each checkpoint copies and uploads the current manifest file, so that it must stay small. */
    private static final long MAX_MANIFEST_BYTES = MIB;

    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();
    private final Options options;
    private final WriteOptions writeOptions;
    private final ReadOptions readOptions;
    private final FlushOptions flushOptions;

    RocksHandles(RocksSettings settings) {
        Cache cache = keep(new LRUCache(settings.blockCacheBytes(), -1, false, INDEX_SHARE_OF_CACHE));
        WriteBufferManager buffers = keep(new WriteBufferManager(settings.writeBufferBytes(), cache));
        BlockBasedTableConfig table = new BlockBasedTableConfig()
                .setBlockCache(cache)
                .setFilterPolicy(keep(new BloomFilter(BLOOM_BITS_PER_KEY)))
                .setWholeKeyFiltering(true)
                .setCacheIndexAndFilterBlocks(true)
                .setCacheIndexAndFilterBlocksWithHighPriority(true)
                .setPinL0FilterAndIndexBlocksInCache(true);
        long memtable = Math.max(256 * 1024, Math.min(16 * MIB, settings.writeBufferBytes() / 4));
        options = keep(new Options())
                .setCreateIfMissing(true)
                .setTableFormatConfig(table)
                .setWriteBufferManager(buffers)
                .setWriteBufferSize(memtable)
                .setMaxWriteBufferNumber(3)
                .setMemtableWholeKeyFiltering(true)
                .setMemtablePrefixBloomSizeRatio(MEMTABLE_BLOOM_RATIO)
                .setTargetFileSizeBase(Math.max(memtable, 4 * MIB))
                .setMaxBytesForLevelBase(4 * Math.max(memtable, 4 * MIB))
                .setCompressionType(CompressionType.LZ4_COMPRESSION)
                .setBottommostCompressionType(CompressionType.ZSTD_COMPRESSION)
                .setMaxOpenFiles(settings.maxOpenFilesPerTask())
                .setMaxManifestFileSize(MAX_MANIFEST_BYTES)
                .setAvoidFlushDuringShutdown(true)
                .setMaxBackgroundJobs(2)
                .setStatsDumpPeriodSec(0)
                .setStatsPersistPeriodSec(0)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setMaxLogFileSize(MIB)
                .setKeepLogFileNum(2);
        writeOptions = keep(new WriteOptions()).setDisableWAL(true);
        readOptions = keep(new ReadOptions());
        flushOptions = keep(new FlushOptions()).setWaitForFlush(true);
    }

    Options options() {
        return options;
    }

    WriteOptions writeOptions() {
        return writeOptions;
    }

    ReadOptions readOptions() {
        return readOptions;
    }

    FlushOptions flushOptions() {
        return flushOptions;
    }

    @Override
    public void close() {
        while (!closeables.isEmpty()) {
            try {
                closeables.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException("Cannot free a native object of RocksDB", e);
            }
        }
    }

    private <T extends AutoCloseable> T keep(T closeable) {
        closeables.push(closeable);
        return closeable;
    }
}
