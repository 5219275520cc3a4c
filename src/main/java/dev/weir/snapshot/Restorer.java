package dev.weir.snapshot;

import dev.weir.failure.CorruptionException;
import dev.weir.snapshot.Manifest.Base;
import dev.weir.snapshot.Manifest.BaseFile;
import dev.weir.snapshot.Manifest.Delta;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.state.StateBackend;
import dev.weir.state.StateBackend.Assembly;
import dev.weir.state.TaskStore;
import dev.weir.time.Background.Cancellation;
import dev.weir.topology.TaskId;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;

/**
 * Brings a task's state onto this worker's disk, at exactly the snapshot's epoch. Bytes are proven by length and SHA-256 before a
 * store is opened on them or they are applied; on any failure all is closed and nothing is served, never something older.
 */
public final class Restorer {

    private static final int BUFFER_BYTES = 1 << 18;

    /** Deltas held in memory at once, unless a single one is larger. */
    private static final long PREFETCH_BYTES = 32L << 20;

    private static final int PREFETCH_PER_TRANSFER = 8;

    private final SnapshotStore store;
    private final StateBackend backend;
    private final DeltaReader deltas;
    private final Transfers transfers;

    /** Restores from a store into a backend. */
    public Restorer(SnapshotStore store, StateBackend backend, DeltaReader deltas, Transfers transfers) {
        this.store = store;
        this.backend = backend;
        this.deltas = deltas;
        this.transfers = transfers;
    }

    /** Where a restored state came from. */
    public enum Origin {
        /** The disk, closed cleanly at the snapshot's epoch. */
        CLEAN,
        /** A base, downloaded or put together from the disk. */
        BASE,
        /** No base: an empty store and the deltas. */
        EMPTY
    }

    /**
     * A restored state.
     *
     * @param store at the snapshot's epoch; the caller closes it
     * @param known what its files hold, for the next upload
     * @param downloadedBytes bytes of base files and deltas that were read from the object store
     * @param reusedBytes bytes of base files that were on the disk
     */
    public record Restored(TaskStore store, KnownFiles known, Origin origin, long downloadedBytes, long reusedBytes) {}

    /** How far a restore has come. Called by one thread at a time. */
    @FunctionalInterface
    public interface Progress {

        /** Nobody wants to know. */
        Progress NONE = (done, total) -> {};

        /** So many bytes of so many are there. */
        void report(long doneBytes, long totalBytes);
    }

    /**
     * Restores a task.
     *
     * @param fingerprint identifies the pointer that refers to the snapshot
     * @throws CorruptionException if anything is missing or not what the manifest says
     * @throws dev.weir.failure.TransientException if the object store does not answer
     * @throws UncheckedIOException if the disk cannot be written
     * @throws java.util.concurrent.CancellationException if it was cancelled
     */
    public Restored restore(TaskSnapshot snapshot, String fingerprint, Cancellation cancellation, Progress progress) {
        requireSound(snapshot);
        Transfers.check(cancellation);
        var clean = backend.openClean(snapshot.task(), snapshot.epoch(), fingerprint);
        if (clean != null) {
            requireEpoch(snapshot, clean, snapshot.epoch());
            return new Restored(clean, KnownFiles.of(snapshot.base()), Origin.CLEAN, 0, 0);
        }
        var bytes = new Bytes(progress, totalBytes(snapshot));
        var base = snapshot.base();
        var opened = base == null
                ? backend.openEmpty(snapshot.task())
                : openBase(snapshot.task(), base, bytes, cancellation);
        try {
            requireEpoch(snapshot, opened, base == null ? 0 : base.epoch());
            applyDeltas(snapshot, opened, bytes, cancellation);
            opened.advanceTo(snapshot.epoch());
            requireEpoch(snapshot, opened, snapshot.epoch());
        } catch (RuntimeException | Error e) {
            closeAfter(e, opened::closeDirty);
            throw e;
        }
        return new Restored(
                opened,
                KnownFiles.of(base),
                base == null ? Origin.EMPTY : Origin.BASE,
                bytes.downloaded(),
                bytes.reused());
    }

    private TaskStore openBase(TaskId task, Base base, Bytes bytes, Cancellation cancellation) {
        var assembly = backend.assemble(task);
        TaskStore opened;
        try {
            var absent = new ArrayList<BaseFile>();
            for (var file : base.files()) {
                Transfers.check(cancellation);
                var content = file.content();
                if (assembly.reuse(file.name(), content.length(), content.sha256())) {
                    bytes.addReused(content.length());
                } else {
                    absent.add(file);
                }
            }
            transfers.forEach(absent, cancellation, file -> download(task, file, assembly, bytes, cancellation));
            Transfers.check(cancellation);
            opened = assembly.open(base.epoch());
        } catch (RuntimeException | Error e) {
            closeAfter(e, assembly::close);
            throw e;
        }
        try {
            assembly.close();
        } catch (RuntimeException | Error e) {
            closeAfter(e, opened::closeDirty);
            throw e;
        }
        return opened;
    }

    private void download(TaskId task, BaseFile file, Assembly assembly, Bytes bytes, Cancellation cancellation) {
        try (var out = assembly.create(file.name())) {
            copy(file, out, bytes, cancellation);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Cannot write file " + file.name() + " of task " + task + ": " + e
                            + "; check that the state directory is writable and has room",
                    e);
        }
    }

    private void copy(BaseFile file, OutputStream out, Bytes bytes, Cancellation cancellation) throws IOException {
        var content = file.content();
        var buffer = new byte[(int) Math.min(BUFFER_BYTES, Math.max(1, content.length()))];
        try (var in = store.open(content)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                Transfers.check(cancellation);
                out.write(buffer, 0, read);
                bytes.addDownloaded(read);
            }
        }
    }

    private void applyDeltas(TaskSnapshot snapshot, TaskStore opened, Bytes bytes, Cancellation cancellation) {
        var all = snapshot.deltas();
        for (int from = 0; from < all.size(); ) {
            int until = batchEnd(all, from);
            var batch = all.subList(from, until);
            var sections = new AtomicReferenceArray<byte[]>(batch.size());
            transfers.forEach(indexes(batch.size()), cancellation, i -> {
                sections.set(i, store.read(batch.get(i).content()));
                bytes.addDownloaded(batch.get(i).content().length());
            });
            for (int i = 0; i < batch.size(); i++) {
                Transfers.check(cancellation);
                applyDelta(snapshot.task(), batch.get(i), sections.getAndSet(i, null), opened);
            }
            from = until;
        }
    }

    private void applyDelta(TaskId task, Delta delta, byte[] section, TaskStore opened) {
        var changes = deltas.read(section);
        if (!changes.task().equals(task) || changes.epoch() != delta.epoch()) {
            throw corruption(
                    task,
                    "the delta in object " + delta.content().object() + " is of task " + changes.task() + " and epoch "
                            + changes.epoch() + ", expected epoch " + delta.epoch() + " of this task");
        }
        opened.apply(changes);
    }

    /** The end of a run of deltas that are fetched together. */
    private int batchEnd(List<Delta> all, int from) {
        int most = Math.min(all.size(), from + transfers.atOnce() * PREFETCH_PER_TRANSFER);
        long bytes = all.get(from).content().length();
        int until = from + 1;
        while (until < most && bytes + all.get(until).content().length() <= PREFETCH_BYTES) {
            bytes += all.get(until).content().length();
            until++;
        }
        return until;
    }

    private static List<Integer> indexes(int size) {
        return IntStream.range(0, size).boxed().toList();
    }

    private static long totalBytes(TaskSnapshot snapshot) {
        var base = snapshot.base();
        return (base == null ? 0 : base.sizeBytes())
                + snapshot.deltas().stream()
                        .mapToLong(delta -> delta.content().length())
                        .sum();
    }

    private static void requireSound(TaskSnapshot snapshot) {
        var violations = SnapshotRules.violations(snapshot);
        if (!violations.isEmpty()) {
            throw corruption(
                    snapshot.task(), "of its snapshot at epoch " + snapshot.epoch() + ", " + violations.get(0));
        }
    }

    private static void requireEpoch(TaskSnapshot snapshot, TaskStore opened, long expected) {
        if (opened.epoch() != expected) {
            var wrong = corruption(
                    snapshot.task(), "the store on the disk is at epoch " + opened.epoch() + ", expected " + expected);
            closeAfter(wrong, opened::closeDirty);
            throw wrong;
        }
    }

    private static CorruptionException corruption(TaskId task, String reason) {
        return new CorruptionException(
                "Cannot restore task " + task + ": " + reason + "; restore from another checkpoint");
    }

    private static void closeAfter(Throwable failure, Runnable close) {
        try {
            close.run();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** Counts bytes and tells how far it is. */
    private static final class Bytes {

        private final Progress progress;
        private final long total;
        private long downloaded;
        private long reused;

        Bytes(Progress progress, long total) {
            this.progress = progress;
            this.total = total;
        }

        synchronized void addDownloaded(long bytes) {
            downloaded += bytes;
            progress.report(downloaded + reused, total);
        }

        synchronized void addReused(long bytes) {
            reused += bytes;
            progress.report(downloaded + reused, total);
        }

        synchronized long downloaded() {
            return downloaded;
        }

        synchronized long reused() {
            return reused;
        }
    }
}
