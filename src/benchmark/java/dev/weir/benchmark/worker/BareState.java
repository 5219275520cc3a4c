package dev.weir.benchmark.worker;

import dev.weir.benchmark.workload.Settings;
import dev.weir.benchmark.workload.Workload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** Where the bare worker keeps what it knows of each key. */
interface BareState {

    /** A batch is about to be processed, record by record. */
    default void prepare(List<ConsumerRecord<byte[], byte[]>> batch) {}

    /** Adds an amount to a key's state and tells what it comes to. */
    byte[] update(byte[] key, long amount);

    /** The batch is processed. */
    default void written() {}

    /** The one that the settings ask for. */
    static BareState of(Settings settings, int thread) {
        int stateBytes = settings.number("statebytes", Workload.MIN_STATE_BYTES);
        return switch (settings.get("store", "heap")) {
            case "heap" -> new OnHeap(new HashMap<>(), stateBytes);
            case "rocks" -> InRocks.open(Path.of(settings.get("state"), "bare-" + thread), stateBytes);
            default ->
                throw new IllegalArgumentException(
                        "Cannot keep state in '" + settings.get("store") + "': store is heap or rocks");
        };
    }

    /** A key in a hash map, with its hash at hand. */
    final class Key {

        private final byte[] bytes;
        private final int hash;

        Key(byte[] bytes) {
            this.bytes = bytes;
            this.hash = Arrays.hashCode(bytes);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && Arrays.equals(bytes, key.bytes);
        }
    }

    /** In a hash map, changed in place, so that the garbage collector meets no new references in old objects. */
    record OnHeap(Map<Key, byte[]> states, int stateBytes) implements BareState {

        @Override
        public byte[] update(byte[] key, long amount) {
            byte[] state = states.computeIfAbsent(new Key(key), absent -> Workload.create(amount, stateBytes));
            Workload.add(state, amount);
            return state.clone();
        }
    }

    /** In RocksDB without a log of its own: one multi-get and one write batch for each polled batch. */
    final class InRocks implements BareState {

        private static final long MEMTABLE_BYTES = 16L << 20;
        private static final long CACHE_BYTES = 400L << 20;

        private final RocksDB db;
        private final WriteOptions noLog = new WriteOptions().setDisableWAL(true);
        private final ReadOptions reads = new ReadOptions();
        private final Map<Key, byte @Nullable []> states = new HashMap<>();
        private final int stateBytes;

        private InRocks(RocksDB db, int stateBytes) {
            this.db = db;
            this.stateBytes = stateBytes;
        }

        static InRocks open(Path folder, int stateBytes) {
            RocksDB.loadLibrary();
            var options = new Options()
                    .setCreateIfMissing(true)
                    .setCompressionType(CompressionType.NO_COMPRESSION)
                    .setWriteBufferSize(MEMTABLE_BYTES)
                    .setMaxWriteBufferNumber(3)
                    .setMemtableWholeKeyFiltering(true)
                    .setMemtablePrefixBloomSizeRatio(0.1)
                    .setMaxBackgroundJobs(2)
                    .setTableFormatConfig(new BlockBasedTableConfig()
                            .setBlockCache(new LRUCache(CACHE_BYTES))
                            .setFilterPolicy(new BloomFilter(10)));
            try {
                Files.createDirectories(folder);
                return new InRocks(RocksDB.open(options, folder.toString()), stateBytes);
            } catch (RocksDBException e) {
                throw new IllegalStateException(e);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void prepare(List<ConsumerRecord<byte[], byte[]>> batch) {
            List<Key> keys = new ArrayList<>();
            List<byte[]> bytes = new ArrayList<>();
            for (ConsumerRecord<byte[], byte[]> record : batch) {
                var key = new Key(record.key());
                if (!states.containsKey(key)) {
                    states.put(key, null);
                    keys.add(key);
                    bytes.add(record.key());
                }
            }
            try {
                List<byte[]> found = db.multiGetAsList(reads, bytes);
                for (int i = 0; i < keys.size(); i++) {
                    states.put(keys.get(i), found.get(i));
                }
            } catch (RocksDBException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public byte[] update(byte[] key, long amount) {
            byte[] after = Workload.update(states.get(new Key(key)), amount, stateBytes);
            states.put(new Key(key), after);
            return after;
        }

        @Override
        public void written() {
            try (var batch = new WriteBatch()) {
                for (var state : states.entrySet()) {
                    batch.put(state.getKey().bytes, state.getValue());
                }
                db.write(noLog, batch);
            } catch (RocksDBException e) {
                throw new IllegalStateException(e);
            }
            states.clear();
        }
    }
}
