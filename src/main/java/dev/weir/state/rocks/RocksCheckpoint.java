package dev.weir.state.rocks;

import dev.weir.state.TaskStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.rocksdb.RocksDBException;

/** A directory with links to the files of a store. It outlives the store; retained, it outlives the process. */
final class RocksCheckpoint implements TaskStore.LocalCheckpoint {

    private final TaskDirectory directory;
    private final Path path;
    private final long epoch;
    private final List<TaskStore.LocalFile> files;

    private RocksCheckpoint(TaskDirectory directory, Path path, long epoch, List<TaskStore.LocalFile> files) {
        this.directory = directory;
        this.path = path;
        this.epoch = epoch;
        this.files = files;
    }

    /** Fills a directory that does not exist yet. */
    @FunctionalInterface
    interface Fill {
        void into(Path target) throws RocksDBException, IOException;
    }

    /** Takes one, and leaves nothing behind if that fails. */
    static RocksCheckpoint take(TaskDirectory directory, long epoch, Fill fill) throws RocksDBException, IOException {
        Path path = directory.reserve("checkpoint");
        boolean taken = false;
        try {
            fill.into(path);
            RocksCheckpoint checkpoint = new RocksCheckpoint(directory, path, epoch, list(path));
            taken = true;
            return checkpoint;
        } finally {
            if (!taken) {
                directory.discard(path);
            }
        }
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public List<TaskStore.LocalFile> files() {
        return files;
    }

    @Override
    public void retain(List<String> sha256) {
        if (sha256.size() != files.size()) {
            throw new IllegalArgumentException(
                    "Cannot retain a checkpoint of " + files.size() + " files by " + sha256.size() + " hashes");
        }
        List<TaskDirectory.RetainedFile> index = new ArrayList<>();
        for (int i = 0; i < sha256.size(); i++) {
            TaskStore.LocalFile file = files.get(i);
            index.add(new TaskDirectory.RetainedFile(path.resolve(file.name()), file.sizeBytes(), sha256.get(i)));
        }
        try {
            directory.retain(path, epoch, index);
        } catch (IOException e) {
            throw StateFailures.of("retain a checkpoint", directory.task(), path, e);
        }
    }

    @Override
    public void close() {
        directory.discard(path);
    }

    /**
     * The files that a restore needs, by name. Options are not among them, since whoever opens the files sets them, nor is the log,
     * which nothing is written to.
     */
    private static List<TaskStore.LocalFile> list(Path path) throws IOException {
        List<TaskStore.LocalFile> files = new ArrayList<>();
        try (Stream<Path> entries = Files.list(path)) {
            for (Path entry : entries.sorted().toList()) {
                String name = entry.getFileName().toString();
                long size = Files.size(entry);
                boolean emptyLog = name.endsWith(".log") && size == 0;
                if (!name.startsWith("OPTIONS-") && !emptyLog) {
                    files.add(new Content(entry, name, size));
                }
            }
        }
        return List.copyOf(files);
    }

    /** Whether a file of this name never changes once it is there, so that it may be shared by links. */
    static boolean isImmutable(String name) {
        return name.endsWith(".sst") || name.endsWith(".blob");
    }

    private record Content(Path file, String name, long sizeBytes) implements TaskStore.LocalFile {

        @Override
        public Optional<Path> path() {
            return Optional.of(file);
        }

        @Override
        public boolean immutable() {
            return isImmutable(name);
        }

        @Override
        public InputStream open() throws IOException {
            return Files.newInputStream(file);
        }
    }
}
