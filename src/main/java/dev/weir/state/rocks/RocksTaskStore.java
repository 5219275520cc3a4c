package dev.weir.state.rocks;

import dev.weir.failure.CorruptionException;
import dev.weir.state.Changes;
import dev.weir.state.StorageKeys;
import dev.weir.state.StoreGate;
import dev.weir.state.StoreRules;
import dev.weir.state.TaskStore;
import dev.weir.topology.TaskId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;

/**
 * A task's state in RocksDB, without its log: what is not flushed is lost with the process, and what is on the disk then is of no
 * epoch in particular. The epoch stands under a reserved key and is written in one batch with the changes.
 */
final class RocksTaskStore implements TaskStore {

    private static final byte[] EPOCH_KEY = {0, 0, 'e'};
    private static final byte[] FIRST_KEY = {0, 1};

    private final TaskId task;
    private final RocksHandles handles;
    private final TaskDirectory directory;
    private final Path path;
    private final RocksDB db;
    private final Consumer<RocksTaskStore> closed;
    private final StoreGate gate;
    private long writtenEpoch;
    private volatile long epoch;

    private RocksTaskStore(
            TaskDirectory directory,
            Path path,
            RocksHandles handles,
            RocksDB db,
            long epoch,
            Consumer<RocksTaskStore> closed) {
        this.task = directory.task();
        this.directory = directory;
        this.path = path;
        this.handles = handles;
        this.db = db;
        this.closed = closed;
        this.gate = new StoreGate("the store of task " + task);
        this.writtenEpoch = epoch;
        this.epoch = epoch;
    }

    /**
     * Opens what is in a directory, or an empty store if there is nothing; leaves nothing open if it fails.
     *
     * @throws CorruptionException if it is not of the expected epoch
     */
    static RocksTaskStore open(
            TaskDirectory directory,
            Path path,
            long expectedEpoch,
            RocksHandles handles,
            Consumer<RocksTaskStore> closed)
            throws RocksDBException {
        RocksDB db = RocksDB.open(handles.options(), path.toString());
        try {
            byte[] stored = db.get(handles.readOptions(), EPOCH_KEY);
            long epoch = stored == null ? 0 : ByteBuffer.wrap(stored).getLong();
            if (epoch != expectedEpoch) {
                throw new CorruptionException("Cannot open state of task " + directory.task() + ": the files in " + path
                        + " are of epoch " + epoch + " and not of epoch " + expectedEpoch
                        + "; restore it from another checkpoint");
            }
            RocksTaskStore store = new RocksTaskStore(directory, path, handles, db, epoch, closed);
            db = null;
            return store;
        } finally {
            if (db != null) {
                db.close();
            }
        }
    }

    TaskId task() {
        return task;
    }

    TaskDirectory directory() {
        return directory;
    }

    Path path() {
        return path;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        gate.enter();
        try {
            return StorageKeys.isReserved(key) ? null : db.get(handles.readOptions(), key);
        } catch (RocksDBException e) {
            throw StateFailures.of("read state", task, path, e);
        } finally {
            gate.exit();
        }
    }

    @Override
    public List<byte @Nullable []> getAll(List<byte[]> keys) {
        gate.enter();
        try {
            return db.multiGetAsList(handles.readOptions(), keys);
        } catch (RocksDBException e) {
            throw StateFailures.of("read state", task, path, e);
        } finally {
            gate.exit();
        }
    }

    @Override
    public void scan(byte[] prefix, BiPredicate<byte[], byte[]> each) {
        gate.enter();
        byte[] end = end(prefix);
        try (Slice bound = end == null ? null : new Slice(end);
                ReadOptions options = new ReadOptions(handles.readOptions())) {
            if (bound != null) {
                options.setIterateUpperBound(bound);
            }
            try (RocksIterator iterator = db.newIterator(options)) {
                iterator.seek(Arrays.compareUnsigned(prefix, FIRST_KEY) < 0 ? FIRST_KEY : prefix);
                while (iterator.isValid() && each.test(iterator.key(), iterator.value())) {
                    iterator.next();
                }
                iterator.status();
            }
        } catch (RocksDBException e) {
            throw StateFailures.of("read state", task, path, e);
        } finally {
            gate.exit();
        }
    }

    @Override
    public void apply(Changes changes) {
        gate.enter();
        try {
            StoreRules.checkApply(task, epoch, changes);
            write(changes);
        } finally {
            gate.exit();
        }
    }

    @Override
    public void advanceTo(long newEpoch) {
        gate.enter();
        try {
            StoreRules.checkAdvance(task, epoch, newEpoch);
            epoch = newEpoch;
        } finally {
            gate.exit();
        }
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public LocalCheckpoint checkpoint() {
        gate.enter();
        try {
            writeEpoch();
            return RocksCheckpoint.take(directory, epoch, target -> {
                try (Checkpoint checkpoint = Checkpoint.create(db)) {
                    checkpoint.createCheckpoint(target.toString());
                }
            });
        } catch (RocksDBException | IOException e) {
            throw StateFailures.of("take a checkpoint", task, path, e);
        } finally {
            gate.exit();
        }
    }

    @Override
    public long sizeBytes() {
        gate.enter();
        try {
            return db.getLongProperty("rocksdb.live-sst-files-size");
        } catch (RocksDBException e) {
            throw StateFailures.of("measure state", task, path, e);
        } finally {
            gate.exit();
        }
    }

    @Override
    public void close() {
        closeFlushed(() -> {});
    }

    @Override
    public void closeDirty() {
        gate.close(this::free);
    }

    /** What is done with the files of a store that was flushed and closed. */
    @FunctionalInterface
    interface Epilogue {
        void run() throws IOException;
    }

    /** Closes after a flush, then runs the epilogue before the task may have another store; false if it was closed before. */
    boolean closeFlushed(Epilogue epilogue) {
        return gate.close(() -> {
            try {
                flushAndClose();
                epilogue.run();
            } catch (RocksDBException | IOException e) {
                throw StateFailures.of("write state", task, path, e);
            } finally {
                closed.accept(this);
            }
        });
    }

    private void flushAndClose() throws RocksDBException {
        try {
            writeEpoch();
            db.flush(handles.flushOptions());
        } finally {
            db.close();
        }
    }

    private void free() {
        try {
            db.close();
        } finally {
            closed.accept(this);
        }
    }

    private void writeEpoch() {
        if (writtenEpoch != epoch) {
            write(Changes.of(task, epoch, Map.of()));
        }
    }

    private void write(Changes changes) {
        try (WriteBatch batch = RocksBatch.of(changes, EPOCH_KEY)) {
            db.write(handles.writeOptions(), batch);
        } catch (RocksDBException e) {
            throw StateFailures.of("write state", task, path, e);
        }
        writtenEpoch = changes.epoch();
        epoch = changes.epoch();
    }

    /** The lowest key above all that begin with the prefix; null if there is none. */
    private static byte @Nullable [] end(byte[] prefix) {
        for (int i = prefix.length - 1; i >= 0; i--) {
            if (prefix[i] != (byte) 0xFF) {
                byte[] end = Arrays.copyOf(prefix, i + 1);
                end[i]++;
                return end;
            }
        }
        return null;
    }
}
