package dev.weir.snapshot;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.TransientException;
import dev.weir.failure.WeirException;
import dev.weir.time.Tokens;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store in a folder that all workers see: a local disk for one machine, or a shared volume. The file system must have atomic
 * renames and hard links. An object's name is its path in the folder, so that an object cannot have the name of another one's
 * folder. Whatever is not yet an object lies in a hidden folder, under names that no object can have; leftovers of a crash are
 * removed when a store is opened a day later.
 */
public final class FileSystemObjectStore implements ObjectStore {

    static final String TEMPORARY = ".weir~unfinished";
    static final Duration LEFTOVER_AGE = Duration.ofDays(1);

    private static final Logger LOG = LoggerFactory.getLogger(FileSystemObjectStore.class);
    private static final int COPY_BYTES = 1 << 18;
    private static final int LINK_ATTEMPTS = 10;

    private final Path root;
    private final Path temporary;
    private final Tokens tokens;
    private final DurableFolders folders;

    private FileSystemObjectStore(Path root, Tokens tokens) {
        this.root = root;
        this.temporary = root.resolve(TEMPORARY);
        this.tokens = tokens;
        this.folders = new DurableFolders(root);
    }

    /**
     * Opens the store in a folder, which is made if it is not there.
     *
     * @throws ConfigurationException if the folder cannot be made, or not be written to
     */
    public static FileSystemObjectStore open(Path folder) {
        try {
            Files.createDirectories(folder);
            var store = new FileSystemObjectStore(folder.toRealPath(), Tokens.secure());
            Files.createDirectories(store.temporary);
            store.removeLeftovers();
            return store;
        } catch (IOException e) {
            throw new ConfigurationException(
                    "Cannot open an object store in " + folder + ": " + e + "; name a folder that user "
                            + System.getProperty("user.name") + " may write to",
                    e);
        }
    }

    @Override
    public void put(String name, byte[] content) {
        var target = path(name);
        publish(name, target, temporaryFile(name, channel -> write(channel, ByteBuffer.wrap(content))));
    }

    @Override
    public void put(String name, Path file) {
        var target = path(name);
        try (var source = FileChannel.open(file, StandardOpenOption.READ)) {
            publish(name, target, temporaryFile(name, channel -> copy(source, channel)));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + file + " to store it as " + name + ": " + e, e);
        }
    }

    @Override
    public boolean createIfAbsent(String name, byte[] content) {
        var target = path(name);
        var written = temporaryFile(name, channel -> write(channel, ByteBuffer.wrap(content)));
        try {
            folders.makeFor(target);
            for (int attempt = 0; attempt < LINK_ATTEMPTS; attempt++) {
                if (link(name, target, written)) {
                    folders.forceEntryOf(target);
                    return true;
                }
                var present = read(target);
                if (present != null) {
                    return Arrays.equals(present, content);
                }
                if (Files.isDirectory(target)) {
                    throw new FileSystemException(target.toString(), null, "Is a directory");
                }
            }
        } catch (IOException e) {
            throw failure("create", name, e);
        } finally {
            discard(written);
        }
        throw new TransientException("Cannot create object " + name + ": others create and delete it in " + root
                + " all the time; try again");
    }

    @Override
    public byte[] get(String name) {
        try {
            var content = read(path(name));
            if (content == null) {
                throw ObjectRange.missing(name, describe());
            }
            return content;
        } catch (IOException e) {
            throw failure("read", name, e);
        }
    }

    @Override
    public InputStream open(String name, long offset, long length) throws IOException {
        var range = new ObjectRange(offset, length);
        var path = path(name);
        var attributes = attributes(name, path);
        if (attributes == null) {
            throw ObjectRange.missing(name, describe());
        }
        range.requireWithin(name, describe(), attributes.size());
        FileChannel channel;
        try {
            channel = FileChannel.open(path, StandardOpenOption.READ);
        } catch (NoSuchFileException e) {
            throw ObjectRange.missing(name, describe());
        } catch (IOException e) {
            throw failure("read", name, e);
        }
        return new RangeStream(Channels.newInputStream(channel.position(offset)), name, length, () -> {});
    }

    @Override
    public boolean exists(String name) {
        return attributes(name, path(name)) != null;
    }

    @Override
    public void list(String prefix, Consumer<Listed> each) {
        ObjectNames.requirePrefix(prefix);
        var base = prefix.substring(0, prefix.lastIndexOf('/') + 1);
        list(root.resolve(base), base, prefix, each);
    }

    private void list(Path folder, String base, String prefix, Consumer<Listed> each) {
        for (var child : children(folder, base, prefix)) {
            if (child.attributes.isDirectory()) {
                list(child.path, child.name, prefix, each);
            } else {
                var modified = child.attributes.lastModifiedTime().toInstant();
                each.accept(new Listed(child.name, child.attributes.size(), modified));
            }
        }
    }

    /** A file or folder; a folder's name ends with a slash, which puts it where the names of its objects belong. */
    private record Child(String name, Path path, BasicFileAttributes attributes) {}

    private List<Child> children(Path folder, String base, String prefix) {
        var children = new ArrayList<Child>();
        try (var entries = Files.newDirectoryStream(folder)) {
            for (var path : entries) {
                var part = path.getFileName().toString();
                var name = base + part;
                if (name.startsWith(prefix) && ObjectNames.isName(part)) {
                    var attributes = attributes(path);
                    if (attributes != null && (attributes.isDirectory() || attributes.isRegularFile())) {
                        children.add(new Child(attributes.isDirectory() ? name + "/" : name, path, attributes));
                    }
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        } catch (DirectoryIteratorException e) {
            throw failure("list", base, new IOException(e));
        } catch (IOException e) {
            throw failure("list", base, e);
        }
        children.sort(Comparator.comparing(Child::name));
        return children;
    }

    @Override
    public void delete(Collection<String> names) {
        names.forEach(ObjectNames::require);
        for (var name : names) {
            try {
                var path = path(name);
                var attributes = attributes(path);
                if (attributes != null && attributes.isRegularFile()) {
                    Files.deleteIfExists(path);
                }
            } catch (IOException e) {
                throw failure("delete", name, e);
            }
        }
    }

    @Override
    public void discardUnfinished(Instant begunBefore) {
        try {
            removeTemporary(begunBefore);
        } catch (IOException e) {
            throw failure("delete unfinished", TEMPORARY, e);
        }
    }

    @Override
    public void probe() {
        StoreProbe.run(this, tokens);
    }

    @Override
    public String describe() {
        return root.toString();
    }

    @Override
    public void close() {}

    private Path path(String name) {
        return root.resolve(ObjectNames.require(name));
    }

    private interface Writing {
        void to(FileChannel channel) throws IOException;
    }

    private Path temporaryFile(String name, Writing writing) {
        var file = temporary.resolve(tokens.next());
        try {
            folders.makeFor(file);
            try (var channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
                writing.to(channel);
                channel.force(true);
            }
            return file;
        } catch (IOException e) {
            discard(file);
            throw failure("write", name, e);
        }
    }

    private static void write(FileChannel channel, ByteBuffer content) throws IOException {
        while (content.hasRemaining()) {
            channel.write(content);
        }
    }

    private static void copy(FileChannel source, FileChannel channel) throws IOException {
        var buffer = ByteBuffer.allocateDirect(COPY_BYTES);
        while (source.read(buffer) >= 0) {
            write(channel, buffer.flip());
            buffer.clear();
        }
    }

    private void publish(String name, Path target, Path written) {
        try {
            folders.makeFor(target);
            Files.move(written, target, StandardCopyOption.ATOMIC_MOVE);
            folders.forceEntryOf(target);
        } catch (IOException e) {
            discard(written);
            throw failure("write", name, e);
        }
    }

    private boolean link(String name, Path target, Path written) throws IOException {
        try {
            Files.createLink(target, written);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        } catch (UnsupportedOperationException e) {
            throw noLinks(name, e);
        } catch (FileSystemException e) {
            if (hasReason(e, "not permitted") || hasReason(e, "not supported")) {
                throw noLinks(name, e);
            }
            throw e;
        }
    }

    private ConfigurationException noLinks(String name, Exception cause) {
        return new ConfigurationException(
                "Cannot create object " + name + ": the file system of " + root
                        + " refuses hard links, which decide between two writers; name a folder on one that has them",
                cause);
    }

    private byte @Nullable [] read(Path path) throws IOException {
        var attributes = attributes(path);
        if (attributes == null || !attributes.isRegularFile()) {
            return null;
        }
        try {
            return Files.readAllBytes(path);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private @Nullable BasicFileAttributes attributes(String name, Path path) {
        try {
            var attributes = attributes(path);
            return attributes != null && attributes.isRegularFile() ? attributes : null;
        } catch (IOException e) {
            throw failure("read", name, e);
        }
    }

    private static @Nullable BasicFileAttributes attributes(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class);
        } catch (NoSuchFileException e) {
            return null;
        } catch (FileSystemException e) {
            if (hasReason(e, "Not a directory")) {
                return null;
            }
            throw e;
        }
    }

    private static void discard(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.atDebug().setCause(e).addKeyValue("file", file).log("temporary file left behind");
        }
    }

    /** Ages are by the file system's clock, which may be another machine's. */
    private void removeLeftovers() throws IOException {
        var now = Files.createFile(temporary.resolve(tokens.next()));
        try {
            removeTemporary(Files.getLastModifiedTime(now).toInstant().minus(LEFTOVER_AGE));
        } finally {
            discard(now);
        }
    }

    private void removeTemporary(Instant begunBefore) throws IOException {
        try (var entries = Files.newDirectoryStream(temporary)) {
            for (var file : entries) {
                var attributes = attributes(file);
                if (attributes != null
                        && attributes.lastModifiedTime().toInstant().isBefore(begunBefore)) {
                    discard(file);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw new IOException(e);
        }
    }

    private WeirException failure(String action, String name, IOException e) {
        var what = "Cannot " + action + " object " + name + " in " + root + ": ";
        if (e instanceof AccessDeniedException || hasReason(e, "Read-only") || hasReason(e, "not permitted")) {
            return new ConfigurationException(
                    what + e + "; let user " + System.getProperty("user.name") + " read and write the folder", e);
        }
        if (e instanceof NotDirectoryException || hasReason(e, "Not a directory") || hasReason(e, "Is a directory")) {
            return new ConfigurationException(
                    what + e + "; an object cannot have the name of another one's folder, use another name", e);
        }
        if (hasReason(e, "No space left") || hasReason(e, "quota")) {
            return new TransientException(
                    what + "the disk is full (" + root.toFile().getUsableSpace() + " bytes are usable); make room", e);
        }
        return new TransientException(what + e + "; try again", e);
    }

    private static boolean hasReason(IOException e, String reason) {
        var message = e.getMessage();
        return message != null && message.contains(reason);
    }
}
