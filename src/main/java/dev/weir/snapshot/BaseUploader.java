package dev.weir.snapshot;

import dev.weir.failure.CorruptionException;
import dev.weir.snapshot.Manifest.Base;
import dev.weir.snapshot.Manifest.BaseFile;
import dev.weir.snapshot.Manifest.Range;
import dev.weir.state.TaskStore.LocalCheckpoint;
import dev.weir.state.TaskStore.LocalFile;
import dev.weir.time.Background.Cancellation;
import dev.weir.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Uploads a local checkpoint as a task's new base.
 *
 * <p>A file is left out only if two things hold. Its content is known to be in the object store: it is immutable, and the same open
 * store had a file of this name and size there before. And that object cannot be collected as garbage meanwhile: the task's previous
 * base refers to it, or it was uploaded a short time ago (by an upload that failed later, or for a base that is not committed yet).
 */
public final class BaseUploader {

    /** Up to this size a file is read once, into memory; above it is streamed from where it is. */
    private static final int IN_MEMORY_BYTES = 1 << 20;

    /** Largest file without a path. */
    private static final int LARGEST_IN_MEMORY_BYTES = 64 << 20;

    private final SnapshotStore store;
    private final Transfers transfers;
    private final Clock clock;
    private final Duration reuseFor;

    /**
     * An uploader.
     *
     * @param reuseFor how long an uploaded file that no committed manifest refers to yet may be referred to; at most a quarter of the
     *     garbage collection's grace time, so that the base that refers to it has as much again to be committed
     */
    public BaseUploader(SnapshotStore store, Transfers transfers, Clock clock, Duration reuseFor) {
        this.store = store;
        this.transfers = transfers;
        this.clock = clock;
        this.reuseFor = reuseFor;
    }

    /** A new base and what it took. */
    public record Uploaded(Base base, int uploadedFiles, long uploadedBytes, int skippedFiles, long skippedBytes) {}

    /**
     * Uploads what is new. The checkpoint is closed in any case, and retained for a restore on this disk if all went well. One upload
     * at a time for a task.
     *
     * @param previous the base in the task's newest committed or in-flight manifest, null if there is none
     * @param known what the files of the task's open store hold; is brought up to date
     * @throws java.util.concurrent.CancellationException if it was cancelled
     * @throws java.io.UncheckedIOException if a local file cannot be read
     */
    public Uploaded upload(
            LocalCheckpoint checkpoint, @Nullable Base previous, KnownFiles known, Cancellation cancellation) {
        try (checkpoint) {
            Transfers.check(cancellation);
            var files = checkpoint.files();
            var safe = previous == null
                    ? Set.<Range>of()
                    : previous.files().stream().map(BaseFile::content).collect(Collectors.toUnmodifiableSet());
            var contents = new AtomicReferenceArray<Range>(files.size());
            var fresh = new ArrayList<Integer>();
            for (int i = 0; i < files.size(); i++) {
                var content = reusable(files.get(i), safe, known);
                contents.set(i, content);
                if (content == null) {
                    fresh.add(i);
                }
            }
            transfers.forEach(fresh, cancellation, i -> contents.set(i, upload(files.get(i), known)));
            var uploaded = uploaded(checkpoint, contents, new HashSet<>(fresh));
            known.keep(files.stream().map(LocalFile::name).collect(Collectors.toSet()));
            checkpoint.retain(uploaded.base().files().stream()
                    .map(file -> file.content().sha256())
                    .toList());
            return uploaded;
        }
    }

    private @Nullable Range reusable(LocalFile file, Set<Range> safe, KnownFiles known) {
        var candidate = file.immutable() ? known.find(file.name()) : null;
        if (candidate == null || candidate.content().length() != file.sizeBytes()) {
            return null;
        }
        var uploadedNanos = candidate.uploadedNanos();
        boolean recent = uploadedNanos != null && clock.nanos() - uploadedNanos < reuseFor.toNanos();
        return recent || safe.contains(candidate.content()) ? candidate.content() : null;
    }

    private Range upload(LocalFile file, KnownFiles known) throws IOException {
        long startedNanos = clock.nanos();
        var path = file.path();
        var content = path.isPresent() && file.sizeBytes() > IN_MEMORY_BYTES
                ? streamed(file, path.get())
                : store.putObject(inMemory(file));
        if (file.immutable()) {
            known.add(file.name(), content, startedNanos);
        }
        return content;
    }

    private Range streamed(LocalFile file, Path path) throws IOException {
        requireSize(file, Files.size(path));
        return store.put(path, file.sizeBytes(), Sha256.of(path)).whole();
    }

    private static byte[] inMemory(LocalFile file) throws IOException {
        if (file.sizeBytes() > LARGEST_IN_MEMORY_BYTES) {
            throw new IllegalStateException("Cannot upload file " + file.name() + ": it has " + file.sizeBytes()
                    + " bytes and no path, files without a path may have " + LARGEST_IN_MEMORY_BYTES);
        }
        try (var in = file.open()) {
            var content = in.readNBytes(LARGEST_IN_MEMORY_BYTES + 1);
            requireSize(file, content.length);
            return content;
        }
    }

    private static void requireSize(LocalFile file, long sizeBytes) {
        if (sizeBytes != file.sizeBytes()) {
            throw new CorruptionException("Cannot upload file " + file.name() + ": it has " + sizeBytes
                    + " bytes, its checkpoint says " + file.sizeBytes() + "; check the disk of the state directory");
        }
    }

    private static Uploaded uploaded(
            LocalCheckpoint checkpoint, AtomicReferenceArray<Range> contents, Set<Integer> fresh) {
        var localFiles = checkpoint.files();
        List<BaseFile> files = IntStream.range(0, localFiles.size())
                .mapToObj(i -> new BaseFile(localFiles.get(i).name(), contents.get(i)))
                .toList();
        long uploadedBytes =
                fresh.stream().mapToLong(i -> files.get(i).content().length()).sum();
        var base = new Base(checkpoint.epoch(), files);
        return new Uploaded(
                base, fresh.size(), uploadedBytes, files.size() - fresh.size(), base.sizeBytes() - uploadedBytes);
    }
}
