package dev.weir.state.rocks;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.CorruptionException;
import dev.weir.failure.TransientException;
import dev.weir.state.StateBackend;
import dev.weir.state.StoreGate;
import dev.weir.state.TaskStore;
import dev.weir.topology.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One RocksDB for each task, in {@code <directory>/<processor>/<partition>}; memory is shared and bounded over all of them.
 *
 * <p>A store is opened again only if it was closed cleanly at the state that is asked for, and at most once. What else a crashed
 * process left is deleted when the task is opened the next time, except for the newest retained checkpoint.
 */
public final class RocksStateBackend implements StateBackend {

    private static final Logger LOG = LoggerFactory.getLogger(RocksStateBackend.class);

    private static final String CURRENT = "CURRENT";

    private final StateDirectory directory;
    private final RocksHandles handles;
    private final Set<RocksTaskStore> open = ConcurrentHashMap.newKeySet();
    private final StoreGate gate;

    /**
     * Takes the directory for this process, and creates it if need be.
     *
     * @throws ConfigurationException as {@link #check} does, or if another process uses the directory
     */
    public RocksStateBackend(Path directory, RocksSettings settings) {
        this.directory = StateDirectory.lock(directory);
        this.gate = new StoreGate("the state in " + directory);
        boolean made = false;
        try {
            StateDirectory.loadLibrary(this.directory.path());
            this.handles = new RocksHandles(settings);
            made = true;
        } finally {
            if (!made) {
                this.directory.close();
            }
        }
    }

    /**
     * Makes sure that state can be kept in a directory, and creates it if need be: files can be made in it, and RocksDB's native
     * library can be loaded from it.
     *
     * @throws ConfigurationException if not; the message is one sentence that says what to do
     */
    public static void check(Path directory) {
        StateDirectory.checkWritable(directory);
        StateDirectory.loadLibrary(directory);
    }

    @Override
    public TaskStore openEmpty(TaskId task) {
        gate.enter();
        try {
            TaskDirectory files = directory.task(task);
            files.occupy();
            return Objects.requireNonNull(open(files, () -> {
                files.sweep();
                return openIn(files, files.reserve("db"), 0);
            }));
        } finally {
            gate.exit();
        }
    }

    @Override
    public @Nullable TaskStore openClean(TaskId task, long epoch, String fingerprint) {
        gate.enter();
        try {
            TaskDirectory files = directory.task(task);
            files.occupy();
            return open(files, () -> {
                TaskDirectory.Clean clean = files.takeClean();
                files.sweep();
                return clean == null ? null : openMarked(files, clean, epoch, fingerprint);
            });
        } finally {
            gate.exit();
        }
    }

    private @Nullable RocksTaskStore openMarked(
            TaskDirectory files, TaskDirectory.Clean clean, long epoch, String fingerprint) {
        Path path = files.path().resolve(clean.directory());
        boolean wanted = clean.epoch() == epoch && clean.fingerprint().equals(fingerprint);
        if (wanted && Files.exists(path.resolve(CURRENT))) {
            try {
                return openIn(files, path, epoch);
            } catch (RocksDBException | CorruptionException e) {
                LOG.atWarn()
                        .addKeyValue("task", files.task())
                        .setCause(e)
                        .log("A cleanly closed store cannot be opened");
            }
        }
        files.discard(path);
        return null;
    }

    @Override
    public void closeClean(TaskId task, TaskStore store, String fingerprint) {
        if (!(store instanceof RocksTaskStore ours) || !ours.task().equals(task)) {
            throw new IllegalArgumentException(
                    "Cannot close the store of task " + task + ": it is not of this backend");
        }
        gate.enter();
        try {
            TaskDirectory files = ours.directory();
            if (!ours.closeFlushed(() -> files.writeClean(ours.path(), ours.epoch(), fingerprint))) {
                throw new IllegalStateException(
                        "Cannot close the store of task " + task + " cleanly: it is closed already");
            }
        } finally {
            gate.exit();
        }
    }

    @Override
    public Assembly assemble(TaskId task) {
        gate.enter();
        TaskDirectory files = directory.task(task);
        try {
            Path path = files.reserve("db");
            Files.createDirectory(path);
            return new RocksAssembly(this, files, path);
        } catch (IOException e) {
            throw StateFailures.of("write state", task, files.path(), e);
        } finally {
            gate.exit();
        }
    }

    /** Opens an assembled base; its files are gone if that fails, and what was there before is gone if it does not. */
    TaskStore openBase(TaskDirectory files, Path path, long epoch) {
        gate.enter();
        TaskStore store = null;
        try {
            files.occupy();
            store = Objects.requireNonNull(open(files, () -> {
                if (!Files.exists(path.resolve(CURRENT))) {
                    throw new CorruptionException("Cannot open state of task " + files.task() + ": file " + CURRENT
                            + " of the base is missing; restore it from another checkpoint");
                }
                return openIn(files, path, epoch);
            }));
            sweepBelow(files, store);
            return store;
        } finally {
            gate.exit();
            if (store == null) {
                files.discard(path);
            }
        }
    }

    private static void sweepBelow(TaskDirectory files, TaskStore store) {
        try {
            files.sweep();
        } catch (IOException e) {
            store.closeDirty();
            throw StateFailures.of("open state", files.task(), files.path(), e);
        }
    }

    @Override
    public Set<Integer> tasksOnDisk(String processor) {
        try {
            return directory.partitions(processor);
        } catch (IOException e) {
            throw new TransientException(
                    "Cannot list the tasks of processor " + processor + " in " + directory.path() + ": "
                            + e.getMessage(),
                    e);
        }
    }

    /** Closes all stores as they are, without a flush, and gives the directory to the next process. Idempotent. */
    @Override
    public void close() {
        gate.close(() -> {
            try {
                List.copyOf(open).forEach(RocksTaskStore::closeDirty);
                handles.close();
            } finally {
                directory.close();
            }
        });
    }

    @FunctionalInterface
    private interface Opening {
        @Nullable
        RocksTaskStore run() throws IOException, RocksDBException;
    }

    /** Runs an opening of a task that is occupied for it. */
    private static @Nullable RocksTaskStore open(TaskDirectory files, Opening opening) {
        boolean opened = false;
        try {
            RocksTaskStore store = opening.run();
            opened = store != null;
            return store;
        } catch (IOException | RocksDBException e) {
            throw StateFailures.of("open state", files.task(), files.path(), e);
        } finally {
            if (!opened) {
                files.vacate();
            }
        }
    }

    private RocksTaskStore openIn(TaskDirectory files, Path path, long epoch) throws RocksDBException {
        RocksTaskStore store = RocksTaskStore.open(files, path, epoch, handles, this::closed);
        open.add(store);
        return store;
    }

    private void closed(RocksTaskStore store) {
        open.remove(store);
        store.directory().release(store.path());
        store.directory().vacate();
    }
}
