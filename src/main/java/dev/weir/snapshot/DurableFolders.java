package dev.weir.snapshot;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Makes folders below a root, and sees to it that their entries are on disk and not only in the machine's memory. */
final class DurableFolders {

    private final Path root;
    private final boolean canForce;
    private final Set<Path> durable = ConcurrentHashMap.newKeySet();

    DurableFolders(Path root) {
        this.root = root;
        this.canForce = root.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /** Makes the folder of a file, and the folders above it. */
    void makeFor(Path file) throws IOException {
        make(folderOf(file));
    }

    /** Brings to disk that the file has its name. */
    void forceEntryOf(Path file) throws IOException {
        if (canForce) {
            try (var channel = FileChannel.open(folderOf(file), StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    private void make(Path folder) throws IOException {
        if (folder.equals(root) || (durable.contains(folder) && Files.isDirectory(folder))) {
            return;
        }
        make(folderOf(folder));
        if (!Files.isDirectory(folder)) {
            try {
                Files.createDirectory(folder);
            } catch (FileAlreadyExistsException e) {
                if (!Files.isDirectory(folder)) {
                    throw new NotDirectoryException(folder.toString());
                }
            }
        }
        forceEntryOf(folder);
        durable.add(folder);
    }

    private static Path folderOf(Path file) {
        return Objects.requireNonNull(file.getParent(), "every file of a store is below its root");
    }
}
