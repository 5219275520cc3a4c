package dev.weir.state.rocks;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.TransientException;
import dev.weir.state.StoreRules;
import dev.weir.topology.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task's files on this disk. Every store, assembly and checkpoint is a numbered directory of its own; which of them count is said
 * by two small files: {@code clean} names a store that was closed at a committed state, {@code retained} a checkpoint and its
 * content. Everything else that is not in use is left over from a crash.
 *
 * <p>Safe for use by several threads.
 */
final class TaskDirectory {

    private static final Logger LOG = LoggerFactory.getLogger(TaskDirectory.class);
    private static final String CLEAN = "clean";
    private static final String RETAINED = "retained";
    private static final String CLEAN_FORMAT = "weir-clean 1";
    private static final String RETAINED_FORMAT = "weir-retained 1";
    private static final Pattern PROCESSOR = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*");

    private final TaskId task;
    private final Path path;
    private final Set<String> inUse = new HashSet<>();
    private @Nullable String retained;
    private boolean occupied;
    private boolean ended;
    private long lastNumber = -1;

    TaskDirectory(Path stateDirectory, TaskId task) {
        if (!PROCESSOR.matcher(task.processor()).matches() || task.partition() < 0) {
            throw new ConfigurationException("Cannot keep state of task " + task
                    + ": its processor's name may have only letters, digits, '-' and '_'");
        }
        this.task = task;
        this.path = stateDirectory.resolve(task.processor()).resolve(Integer.toString(task.partition()));
    }

    /** A store that was closed cleanly. */
    record Clean(String directory, long epoch, String fingerprint) {}

    /** A file of a retained checkpoint. */
    record RetainedFile(Path path, long sizeBytes, String sha256) {}

    TaskId task() {
        return task;
    }

    Path path() {
        return path;
    }

    /** Whether a task's directory holds something that spares a download. */
    static boolean isUseful(Path taskDirectory) {
        return Files.exists(taskDirectory.resolve(CLEAN)) || Files.exists(taskDirectory.resolve(RETAINED));
    }

    /** Reserves the place of the task's one open store, unless that is still open: it may be on its way to another thread. */
    synchronized void occupy() {
        checkUsable();
        if (occupied) {
            throw new TransientException("Cannot open a store of task " + task
                    + ": another thread of this process has not closed it yet; try again when it has");
        }
        occupied = true;
    }

    synchronized void vacate() {
        occupied = false;
    }

    synchronized boolean isOccupied() {
        return occupied;
    }

    /** From now on nothing on the disk is changed: another process may own it. */
    synchronized void end() {
        ended = true;
    }

    /** A path that was never used, reserved but not created. */
    synchronized Path reserve(String kind) throws IOException {
        checkUsable();
        Files.createDirectories(path);
        if (lastNumber < 0) {
            lastNumber = names().stream().mapToLong(TaskDirectory::number).max().orElse(0);
        }
        lastNumber = Math.max(lastNumber, 0) + 1;
        String name = kind + "-" + lastNumber;
        inUse.add(name);
        return path.resolve(name);
    }

    /** The directory is no longer in use; it stays until the next {@link #sweep}. */
    synchronized void release(Path directory) {
        inUse.remove(directory.getFileName().toString());
    }

    /** Deletes a directory unless it is the retained checkpoint. */
    synchronized void discard(Path directory) {
        release(directory);
        if (!ended && !directory.getFileName().toString().equals(retainedName())) {
            delete(directory);
        }
    }

    synchronized void writeClean(Path directory, long epoch, String fingerprint) throws IOException {
        checkUsable();
        DurableFiles.write(
                path.resolve(CLEAN),
                String.join("\n", CLEAN_FORMAT, directory.getFileName().toString(), Long.toString(epoch), fingerprint));
    }

    /** Removes the mark of the cleanly closed store and returns it, so that it is opened at most once; null if there is none. */
    synchronized @Nullable Clean takeClean() throws IOException {
        checkUsable();
        Path file = path.resolve(CLEAN);
        String text = DurableFiles.read(file);
        if (text == null) {
            return null;
        }
        DurableFiles.delete(file);
        String[] parts = text.split("\n", 4);
        try {
            if (parts.length == 4 && parts[0].equals(CLEAN_FORMAT) && number(parts[1]) > 0) {
                inUse.add(parts[1]);
                return new Clean(parts[1], Long.parseLong(parts[2]), parts[3]);
            }
        } catch (NumberFormatException e) {
            LOG.atWarn().addKeyValue("task", task).log("The mark of a cleanly closed store is unreadable");
        }
        return null;
    }

    /** Deletes all that is neither in use nor the retained checkpoint. */
    synchronized void sweep() throws IOException {
        checkUsable();
        Files.createDirectories(path);
        DurableFiles.delete(path.resolve(CLEAN));
        String keep = retainedName();
        for (String name : names()) {
            if (!name.equals(RETAINED) && !name.equals(keep) && !inUse.contains(name)) {
                delete(path.resolve(name));
            }
        }
    }

    /** Makes a checkpoint the retained one, instead of an older one; false if the disk is no longer ours. */
    synchronized boolean retain(Path directory, long epoch, List<RetainedFile> files) throws IOException {
        if (ended) {
            return false;
        }
        String before = retainedName();
        String name = directory.getFileName().toString();
        StringBuilder text = new StringBuilder();
        text.append(RETAINED_FORMAT)
                .append('\n')
                .append(name)
                .append('\n')
                .append(epoch)
                .append('\n');
        for (RetainedFile file : files) {
            text.append(file.sha256()).append(' ').append(file.sizeBytes()).append(' ');
            text.append(file.path().getFileName()).append('\n');
        }
        DurableFiles.write(path.resolve(RETAINED), text.toString());
        retained = name;
        if (before != null && !before.equals(name) && !inUse.contains(before)) {
            delete(path.resolve(before));
        }
        return true;
    }

    /** The files of the retained checkpoint that are there in the size that they should have. */
    synchronized List<RetainedFile> retainedFiles() {
        List<RetainedFile> files = new ArrayList<>();
        try {
            String text = DurableFiles.read(path.resolve(RETAINED));
            String[] lines = text == null ? new String[0] : text.split("\n");
            if (lines.length < 3 || !lines[0].equals(RETAINED_FORMAT) || number(lines[1]) <= 0) {
                return files;
            }
            for (int i = 3; i < lines.length; i++) {
                String[] parts = lines[i].split(" ", 3);
                Path file = path.resolve(lines[1]).resolve(StoreRules.checkFileName(parts[2]));
                long size = Long.parseLong(parts[1]);
                if (Files.isRegularFile(file) && Files.size(file) == size) {
                    files.add(new RetainedFile(file, size, parts[0]));
                }
            }
        } catch (IOException | IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            LOG.atWarn()
                    .addKeyValue("task", task)
                    .setCause(e)
                    .log("The index of the retained checkpoint is unreadable");
        }
        return files;
    }

    private @Nullable String retainedName() {
        if (retained == null) {
            try {
                String text = DurableFiles.read(path.resolve(RETAINED));
                String[] lines = text == null ? new String[0] : text.split("\n", 3);
                retained = lines.length == 3 && lines[0].equals(RETAINED_FORMAT) ? lines[1] : null;
            } catch (IOException e) {
                LOG.atWarn()
                        .addKeyValue("task", task)
                        .setCause(e)
                        .log("The index of the retained checkpoint is unreadable");
            }
        }
        return retained;
    }

    private List<String> names() throws IOException {
        try (Stream<Path> entries = Files.list(path)) {
            return entries.map(entry -> entry.getFileName().toString()).toList();
        }
    }

    private void checkUsable() {
        if (ended) {
            throw new IllegalStateException("Cannot use the files of task " + task + ": the state backend is closed");
        }
    }

    private void delete(Path victim) {
        try {
            DurableFiles.deleteTree(victim);
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("task", task)
                    .addKeyValue("path", victim)
                    .setCause(e)
                    .log("Files that are no longer needed could not be deleted");
        }
    }

    /** The number at the end of a directory's name, or 0 if it is none of ours. */
    private static long number(String name) {
        int dash = name.indexOf('-');
        int dot = name.indexOf('.');
        String digits = name.substring(dash + 1, dot < 0 ? name.length() : Math.max(dot, dash + 1));
        boolean ours = dash > 0 && !name.contains("/") && !digits.isEmpty() && digits.length() < 18;
        return ours && digits.chars().allMatch(c -> c >= '0' && c <= '9') ? Long.parseLong(digits) : 0;
    }
}
