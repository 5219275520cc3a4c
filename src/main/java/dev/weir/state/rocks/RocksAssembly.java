package dev.weir.state.rocks;

import dev.weir.state.StateBackend;
import dev.weir.state.StoreRules;
import dev.weir.state.TaskStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A base's files, put together in a directory of their own. */
final class RocksAssembly implements StateBackend.Assembly {

    private static final Logger LOG = LoggerFactory.getLogger(RocksAssembly.class);

    private final RocksStateBackend backend;
    private final TaskDirectory directory;
    private final Path path;
    private boolean ended;

    RocksAssembly(RocksStateBackend backend, TaskDirectory directory, Path path) {
        this.backend = backend;
        this.directory = directory;
        this.path = path;
    }

    /**
     * Links the retained checkpoint's file of this content if it can never change, else copies it; then reads it once to make sure
     * that its content still is what its hash says.
     */
    @Override
    public boolean reuse(String name, long sizeBytes, String sha256) {
        Path target = target(name);
        for (TaskDirectory.RetainedFile file : directory.retainedFiles()) {
            if (file.sizeBytes() == sizeBytes && file.sha256().equals(sha256) && take(file.path(), target, sha256)) {
                return true;
            }
        }
        return false;
    }

    private boolean take(Path source, Path target, String sha256) {
        if (Files.exists(target)) {
            throw new IllegalStateException("Cannot reuse a file as " + target + ": there is one of this name");
        }
        try {
            if (RocksCheckpoint.isImmutable(target.getFileName().toString())) {
                Files.createLink(target, source);
            } else {
                Files.copy(source, target);
            }
            if (sha256(target).equals(sha256)) {
                return true;
            }
            LOG.atWarn().addKeyValue("path", source).log("A retained file is damaged and is not used");
            Files.delete(target);
        } catch (IOException | UnsupportedOperationException e) {
            LOG.atWarn().addKeyValue("path", source).setCause(e).log("A retained file cannot be used");
            deleteQuietly(target);
        }
        return false;
    }

    private static void deleteQuietly(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("path", file).setCause(e).log("An unusable file could not be deleted");
        }
    }

    @Override
    public OutputStream create(String name) throws IOException {
        return Files.newOutputStream(target(name), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    @Override
    public TaskStore open(long epoch) {
        synchronized (this) {
            checkUsable();
            ended = true;
        }
        return backend.openBase(directory, path, epoch);
    }

    @Override
    public void close() {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
        }
        directory.discard(path);
    }

    private Path target(String name) {
        synchronized (this) {
            checkUsable();
        }
        return path.resolve(StoreRules.checkFileName(name));
    }

    private void checkUsable() {
        if (ended) {
            throw new IllegalStateException("Cannot use the assembly of task " + directory.task() + ": it has ended");
        }
    }

    private static String sha256(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file);
                DigestInputStream digest = new DigestInputStream(in, MessageDigest.getInstance("SHA-256"))) {
            digest.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(digest.getMessageDigest().digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Cannot hash: this Java has no SHA-256", e);
        }
    }
}
