package dev.weir.autoconfigure;

import dev.weir.failure.ConfigurationException;
import dev.weir.time.Tokens;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** This process's name, which it keeps over restarts, and its sole use of the state directory until it is closed. */
final class InstanceIdentity implements AutoCloseable {

    private static final Pattern FORBIDDEN = Pattern.compile("[^A-Za-z0-9_-]");
    private static final int MAX_LENGTH = 100;

    private final String name;
    private final FileLock lock;

    private InstanceIdentity(String name, FileLock lock) {
        this.name = name;
        this.lock = lock;
    }

    /**
     * Takes the state directory and finds the name: what is configured, the pod's, or the one kept in the directory.
     *
     * @throws ConfigurationException if the directory cannot be used or another process uses it
     */
    static InstanceIdentity take(
            Path directory, @Nullable String configured, Map<String, String> environment, Tokens tokens) {
        FileLock lock = lock(directory);
        try {
            String given = configured != null ? configured : pod(environment);
            String name = given != null ? given : kept(directory, tokens);
            return new InstanceIdentity(name, lock);
        } catch (IOException e) {
            release(lock);
            throw unusable(directory, e);
        }
    }

    private static @Nullable String pod(Map<String, String> environment) {
        String pod = environment.get("POD_NAME");
        if (pod == null && environment.containsKey("KUBERNETES_SERVICE_HOST")) {
            pod = environment.get("HOSTNAME");
        }
        if (pod == null || pod.isBlank()) {
            return null;
        }
        String allowed = FORBIDDEN.matcher(pod).replaceAll("-");
        // A pod's name differs from its sisters' at its end.
        return allowed.substring(Math.max(0, allowed.length() - MAX_LENGTH));
    }

    private static String kept(Path directory, Tokens tokens) throws IOException {
        Path file = directory.resolve("instance-id");
        if (Files.exists(file)) {
            String name = Files.readString(file).strip();
            if (!name.isEmpty()
                    && name.length() <= MAX_LENGTH
                    && !FORBIDDEN.matcher(name).find()) {
                return name;
            }
            throw new IOException("its file instance-id holds no name; delete that file");
        }
        String name = tokens.next();
        Path draft = directory.resolve("instance-id.new");
        Files.writeString(draft, name);
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return name;
    }

    private static FileLock lock(Path directory) {
        try {
            Files.createDirectories(directory);
            var channel = FileChannel.open(
                    directory.resolve("instance.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            try {
                FileLock lock = channel.tryLock();
                if (lock != null) {
                    return lock;
                }
            } catch (OverlappingFileLockException e) {
                // Taken by this very process: the same answer as for another one.
            } catch (IOException e) {
                channel.close();
                throw e;
            }
            channel.close();
        } catch (IOException e) {
            throw unusable(directory, e);
        }
        throw new ConfigurationException("Cannot use the state directory " + directory.toAbsolutePath()
                + ": another process uses it; give each process a weir.state.directory of its own");
    }

    private static ConfigurationException unusable(Path directory, IOException cause) {
        return new ConfigurationException(
                "Cannot use the state directory " + directory.toAbsolutePath() + ": " + cause
                        + "; set weir.state.directory to a folder that this process can write to",
                cause);
    }

    String name() {
        return name;
    }

    @Override
    public void close() {
        release(lock);
    }

    private static void release(FileLock lock) {
        try {
            lock.acquiredBy().close();
        } catch (IOException e) {
            // The lock goes with the process at the latest.
        }
    }
}
