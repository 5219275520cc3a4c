package dev.weir.state;

import dev.weir.failure.CorruptionException;
import dev.weir.failure.TransientException;
import dev.weir.topology.TaskId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Stores in memory, for tests and simulations. It behaves like a disk of its own: what was closed cleanly or retained is there for
 * the next who opens it, {@link #crash()} is a process that died. The same calls always give the same results and the same files.
 */
public final class InMemoryStateBackend implements StateBackend {

    private static final String FILE = "state.dump";

    private final Map<TaskId, Disk> disks = new TreeMap<>();
    private long life;

    private static final class Disk {
        private @Nullable InMemoryTaskStore open;
        private @Nullable Clean clean;
        private @Nullable Retained retained;
    }

    private record Clean(long epoch, String fingerprint, TreeMap<Bytes, byte[]> entries) {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Retained(String sha256, byte[] content) {}

    /** An empty disk. */
    public InMemoryStateBackend() {}

    @Override
    public synchronized TaskStore openEmpty(TaskId task) {
        Disk disk = idle(task);
        disk.clean = null;
        return open(disk, task, new TreeMap<>(), 0);
    }

    @Override
    public synchronized @Nullable TaskStore openClean(TaskId task, long epoch, String fingerprint) {
        Disk disk = idle(task);
        Clean clean = disk.clean;
        disk.clean = null;
        if (clean == null || clean.epoch() != epoch || !clean.fingerprint().equals(fingerprint)) {
            return null;
        }
        return open(disk, task, clean.entries(), epoch);
    }

    @Override
    public void closeClean(TaskId task, TaskStore store, String fingerprint) {
        if (!(store instanceof InMemoryTaskStore ours) || !ours.task().equals(task)) {
            throw new IllegalArgumentException(
                    "Cannot close the store of task " + task + ": it is not of this backend");
        }
        TreeMap<Bytes, byte[]> entries = ours.shut();
        if (entries == null) {
            throw new IllegalStateException(
                    "Cannot close the store of task " + task + " cleanly: it is closed already");
        }
        synchronized (this) {
            disk(task).clean = new Clean(ours.epoch(), fingerprint, entries);
        }
    }

    @Override
    public synchronized Assembly assemble(TaskId task) {
        return new InMemoryAssembly(task, life);
    }

    @Override
    public synchronized Set<Integer> tasksOnDisk(String processor) {
        Set<Integer> partitions = new TreeSet<>();
        disks.forEach((task, disk) -> {
            boolean useful = disk.open != null || disk.clean != null || disk.retained != null;
            if (useful && task.processor().equals(processor)) {
                partitions.add(task.partition());
            }
        });
        return partitions;
    }

    /**
     * The process dies: open stores, assemblies and local checkpoints can no longer be used. What was closed cleanly or retained
     * stays. Must not be called from within a scan.
     */
    public void crash() {
        for (InMemoryTaskStore store : endLife()) {
            store.closeDirty();
        }
    }

    @Override
    public void close() {
        crash();
    }

    private synchronized List<InMemoryTaskStore> endLife() {
        life++;
        return disks.values().stream()
                .flatMap(disk -> Stream.ofNullable(disk.open))
                .toList();
    }

    synchronized void closed(InMemoryTaskStore store) {
        disk(store.task()).open = null;
    }

    synchronized TaskStore.LocalCheckpoint checkpoint(TaskId task, long epoch, byte[] content) {
        return new InMemoryCheckpoint(task, life, epoch, content);
    }

    private Disk disk(TaskId task) {
        return disks.computeIfAbsent(task, t -> new Disk());
    }

    private Disk idle(TaskId task) {
        Disk disk = disk(task);
        if (disk.open != null) {
            throw new TransientException("Cannot open a store of task " + task
                    + ": another thread of this process has not closed it yet; try again when it has");
        }
        return disk;
    }

    private TaskStore open(Disk disk, TaskId task, TreeMap<Bytes, byte[]> entries, long epoch) {
        InMemoryTaskStore store = new InMemoryTaskStore(task, this, entries, epoch);
        disk.open = store;
        return store;
    }

    private void checkLife(long expected) {
        if (life != expected) {
            throw new IllegalStateException("Cannot use files of a process that has ended");
        }
    }

    private static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Cannot hash: this Java has no SHA-256", e);
        }
    }

    private final class InMemoryAssembly implements Assembly {

        private final TaskId task;
        private final long born;
        private final Map<String, byte[]> files = new HashMap<>();
        private boolean ended;

        InMemoryAssembly(TaskId task, long born) {
            this.task = task;
            this.born = born;
        }

        @Override
        public boolean reuse(String name, long sizeBytes, String sha256) {
            StoreRules.checkFileName(name);
            synchronized (InMemoryStateBackend.this) {
                checkUsable();
                Retained retained = disk(task).retained;
                if (retained == null
                        || retained.content().length != sizeBytes
                        || !retained.sha256().equals(sha256)
                        || !sha256(retained.content()).equals(sha256)) {
                    return false;
                }
                files.put(name, retained.content());
                return true;
            }
        }

        @Override
        public OutputStream create(String name) throws IOException {
            StoreRules.checkFileName(name);
            synchronized (InMemoryStateBackend.this) {
                checkUsable();
                if (files.putIfAbsent(name, new byte[0]) != null) {
                    throw new FileAlreadyExistsException(name);
                }
            }
            return new ByteArrayOutputStream() {
                @Override
                public void close() {
                    synchronized (InMemoryStateBackend.this) {
                        files.put(name, toByteArray());
                    }
                }
            };
        }

        @Override
        public TaskStore open(long epoch) {
            synchronized (InMemoryStateBackend.this) {
                checkUsable();
                Disk disk = idle(task);
                ended = true;
                byte[] content = files.get(FILE);
                if (content == null) {
                    throw new CorruptionException("Cannot open the base of task " + task + ": file " + FILE
                            + " is missing; restore it from another checkpoint");
                }
                Changes all = DeltaCodec.decode(content);
                if (all.epoch() != epoch) {
                    throw new CorruptionException("Cannot open the base of task " + task + ": it is of epoch "
                            + all.epoch() + " and not of epoch " + epoch + "; restore it from another checkpoint");
                }
                disk.clean = null;
                TreeMap<Bytes, byte[]> entries = new TreeMap<>();
                all.forEach((key, value) -> {
                    if (value != null) {
                        entries.put(key, value);
                    }
                });
                return InMemoryStateBackend.this.open(disk, task, entries, epoch);
            }
        }

        @Override
        public void close() {
            synchronized (InMemoryStateBackend.this) {
                ended = true;
                files.clear();
            }
        }

        private void checkUsable() {
            checkLife(born);
            if (ended) {
                throw new IllegalStateException("Cannot use the assembly of task " + task + ": it has ended");
            }
        }
    }

    private final class InMemoryCheckpoint implements TaskStore.LocalCheckpoint {

        private final TaskId task;
        private final long born;
        private final long epoch;
        private final byte[] content;

        InMemoryCheckpoint(TaskId task, long born, long epoch, byte[] content) {
            this.task = task;
            this.born = born;
            this.epoch = epoch;
            this.content = content;
        }

        @Override
        public long epoch() {
            return epoch;
        }

        @Override
        public List<TaskStore.LocalFile> files() {
            return List.of(new Dump(content));
        }

        @Override
        public void retain(List<String> sha256) {
            if (sha256.size() != 1) {
                throw new IllegalArgumentException(
                        "Cannot retain a checkpoint of 1 file by " + sha256.size() + " hashes");
            }
            synchronized (InMemoryStateBackend.this) {
                checkLife(born);
                disk(task).retained = new Retained(sha256.get(0), content);
            }
        }

        @Override
        public void close() {}
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Dump(byte[] content) implements TaskStore.LocalFile {

        @Override
        public String name() {
            return FILE;
        }

        @Override
        public long sizeBytes() {
            return content.length;
        }

        @Override
        public boolean immutable() {
            return false;
        }

        @Override
        public InputStream open() {
            return new ByteArrayInputStream(content);
        }
    }
}
