package dev.weir.state.rocks;

import dev.weir.failure.ConfigurationException;
import dev.weir.topology.TaskId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;

/** The directory that holds the state of all tasks of this worker; one process at a time. */
final class StateDirectory implements AutoCloseable {

    private static final String LOCK = ".lock";
    private static final String LIBRARY = ".native";
    private static final String PROBE = ".probe";

    /**
     * What this process has locked. The system's locks belong to a process and go when it closes any handle of the file, so that a
     * second try within the process must not even open it.
     */
    private static final Set<Path> LOCKED = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel channel;
    private final FileLock lock;
    private final ConcurrentMap<TaskId, TaskDirectory> tasks = new ConcurrentHashMap<>();

    private StateDirectory(Path path, FileChannel channel, FileLock lock) {
        this.path = path;
        this.channel = channel;
        this.lock = lock;
    }

    /** Takes the directory for this process. */
    static StateDirectory lock(Path directory) {
        checkWritable(directory);
        Path path = realPath(directory);
        if (!LOCKED.add(path)) {
            throw taken(path);
        }
        FileChannel channel = null;
        try {
            channel = FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw taken(path);
            }
            return new StateDirectory(path, channel, lock);
        } catch (IOException | OverlappingFileLockException | ConfigurationException e) {
            closeQuietly(channel);
            LOCKED.remove(path);
            throw e instanceof ConfigurationException known ? known : unlockable(path, e);
        }
    }

    private static ConfigurationException taken(Path path) {
        return new ConfigurationException("Cannot use state directory " + path
                + ": another worker uses it; give each worker a directory of its own, or stop the other one");
    }

    private static ConfigurationException unlockable(Path path, Exception cause) {
        return new ConfigurationException(
                "Cannot use state directory " + path + ": its file " + LOCK + " cannot be locked (" + cause
                        + "); put it on a local disk",
                cause);
    }

    private static Path realPath(Path directory) {
        try {
            return directory.toRealPath();
        } catch (IOException e) {
            throw unlockable(directory, e);
        }
    }

    /** Refuses a directory in which files cannot be made. */
    static void checkWritable(Path path) {
        Path probe = path.resolve(PROBE);
        try {
            Files.createDirectories(path);
            DurableFiles.write(probe, "probe");
            DurableFiles.delete(probe);
        } catch (IOException e) {
            throw new ConfigurationException(
                    "Cannot use state directory " + path + ": it cannot be written (" + e
                            + "); create it, give this user write access, or set another directory",
                    e);
        }
    }

    /** Loads RocksDB's native library from within the directory, once for the whole process. */
    static void loadLibrary(Path path) {
        Path library = path.resolve(LIBRARY);
        try {
            Files.createDirectories(library);
            NativeLibraryLoader.getInstance().loadLibrary(library.toString());
            RocksDB.loadLibrary();
        } catch (IOException | RuntimeException | LinkageError e) {
            throw new ConfigurationException(
                    "Cannot load RocksDB's native library from " + library + ": " + e.getMessage()
                            + "; mount the state directory without noexec, and use a platform that RocksDB is built for",
                    e);
        }
    }

    Path path() {
        return path;
    }

    TaskDirectory task(TaskId task) {
        return tasks.computeIfAbsent(task, t -> new TaskDirectory(path, t));
    }

    /** Partition numbers of a processor's tasks of which something useful is here. */
    Set<Integer> partitions(String processor) throws IOException {
        Set<Integer> partitions = new TreeSet<>();
        tasks.forEach((task, directory) -> {
            if (task.processor().equals(processor) && directory.isOccupied()) {
                partitions.add(task.partition());
            }
        });
        Path directory = path.resolve(processor);
        if (Files.isDirectory(directory)) {
            try (Stream<Path> entries = Files.list(directory)) {
                entries.filter(TaskDirectory::isUseful)
                        .map(entry -> entry.getFileName().toString())
                        .filter(name -> name.matches("0|[1-9][0-9]{0,8}"))
                        .forEach(name -> partitions.add(Integer.parseInt(name)));
            }
        }
        return partitions;
    }

    /** Gives the directory to the next process. */
    @Override
    public void close() {
        tasks.values().forEach(TaskDirectory::end);
        try {
            lock.release();
        } catch (IOException e) {
            throw new IllegalStateException("Cannot release the lock of state directory " + path, e);
        } finally {
            closeQuietly(channel);
            LOCKED.remove(path);
        }
    }

    private static void closeQuietly(@Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // The descriptor is gone either way, and the lock with it.
            return;
        }
    }
}
