package dev.weir.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.failure.CorruptionException;
import dev.weir.failure.TransientException;
import dev.weir.snapshot.Manifest.Base;
import dev.weir.snapshot.Manifest.BaseFile;
import dev.weir.state.TaskStore.LocalCheckpoint;
import dev.weir.state.TaskStore.LocalFile;
import dev.weir.time.Tokens;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BaseUploaderTest {

    private static final Duration REUSE_FOR = Duration.ofMinutes(10);

    private final StoreWithFaults objects = new StoreWithFaults();
    private final SnapshotStore store = new SnapshotStore(objects, "flights", Tokens.from(new SplittableRandom(1)));
    private final Snapshots.HandClock clock = new Snapshots.HandClock();
    private final BaseUploader uploader = new BaseUploader(store, Transfers.sequential(), clock, REUSE_FOR);

    @Test
    void aFirstBaseIsUploadedWhole() {
        var checkpoint = new Checkpoint(5, sst("1.sst", "one"), sst("2.sst", "two"), mutable("CURRENT", "m1"));

        var uploaded = upload(checkpoint, null, KnownFiles.none());

        assertThat(uploaded.base().epoch()).isEqualTo(5);
        assertThat(contents(uploaded.base())).containsExactly("1.sst=one", "2.sst=two", "CURRENT=m1");
        assertThat(uploaded.uploadedFiles()).isEqualTo(3);
        assertThat(uploaded.uploadedBytes()).isEqualTo(8);
        assertThat(uploaded.skippedBytes()).isZero();
        assertThat(checkpoint.retained).containsExactly(sha256("one"), sha256("two"), sha256("m1"));
        assertThat(checkpoint.closed).isEqualTo(1);
    }

    @Test
    void onlyNewAndMutableFilesAreUploadedAgain() {
        var known = KnownFiles.none();
        var first = upload(new Checkpoint(5, sst("1.sst", "one"), mutable("CURRENT", "m1")), null, known);
        clock.advance(REUSE_FOR.multipliedBy(2));

        var second = upload(
                new Checkpoint(6, sst("1.sst", "one"), sst("2.sst", "two"), mutable("CURRENT", "m2")),
                first.base(),
                known);

        assertThat(contents(second.base())).containsExactly("1.sst=one", "2.sst=two", "CURRENT=m2");
        assertThat(second.base().files().get(0)).isEqualTo(first.base().files().get(0));
        assertThat(second.uploadedFiles()).isEqualTo(2);
        assertThat(second.skippedFiles()).isEqualTo(1);
        assertThat(second.skippedBytes()).isEqualTo(3);
    }

    /** Same SST name and size, other content: the previous base is of a store that lived before (R22). */
    @Test
    void aFileOfTheSameNameAndSizeFromAnotherLifeIsNotSkipped() {
        var first = upload(new Checkpoint(5, sst("7.sst", "old")), null, KnownFiles.none());

        var second = upload(new Checkpoint(6, sst("7.sst", "new")), first.base(), KnownFiles.none());

        assertThat(contents(second.base())).containsExactly("7.sst=new");
    }

    @Test
    void aFileThatNoManifestKeepsIsUploadedAnew() {
        var known = KnownFiles.none();
        var first = upload(new Checkpoint(5, sst("1.sst", "one")), null, known);
        clock.advance(REUSE_FOR);

        var second = upload(new Checkpoint(6, sst("1.sst", "one")), null, known);

        assertThat(second.base().files())
                .doesNotContainAnyElementsOf(first.base().files());
        assertThat(contents(second.base())).containsExactly("1.sst=one");
    }

    @Test
    void whatAFailedUploadHasDoneIsNotDoneAgainForAWhile() {
        var known = KnownFiles.none();
        objects.failOn(name -> name.contains(sha256("two")));
        var failing = new Checkpoint(5, sst("1.sst", "one"), sst("2.sst", "two"));
        assertThatExceptionOfType(TransientException.class).isThrownBy(() -> upload(failing, null, known));
        assertThat(failing.retained).isNull();
        assertThat(failing.closed).isEqualTo(1);
        objects.failOn(name -> false);

        var uploaded = upload(new Checkpoint(6, sst("1.sst", "one"), sst("2.sst", "two")), null, known);

        assertThat(uploaded.uploadedFiles()).isEqualTo(1);
        assertThat(contents(uploaded.base())).containsExactly("1.sst=one", "2.sst=two");
    }

    @Test
    void aRestoredFileOfAnotherSizeIsNotSkipped() {
        var base = upload(new Checkpoint(5, sst("1.sst", "one"), sst("2.sst", "two")), null, KnownFiles.none())
                .base();

        var uploaded =
                upload(new Checkpoint(6, sst("1.sst", "one"), sst("2.sst", "longer")), base, KnownFiles.of(base));

        assertThat(contents(uploaded.base())).containsExactly("1.sst=one", "2.sst=longer");
        assertThat(uploaded.skippedFiles()).isEqualTo(1);
    }

    @Test
    void aMutableFileIsNeverSkipped() {
        var base = upload(new Checkpoint(5, mutable("CURRENT", "aa")), null, KnownFiles.none())
                .base();

        var uploaded = upload(new Checkpoint(6, mutable("CURRENT", "bb")), base, KnownFiles.of(base));

        assertThat(contents(uploaded.base())).containsExactly("CURRENT=bb");
    }

    @Test
    void aLargeFileIsStreamedFromItsPath(@TempDir Path folder) throws IOException {
        var content = "0123456789abcdef".repeat(1 << 17);
        var path = Files.writeString(folder.resolve("1.sst"), content);

        var uploaded = upload(
                new Checkpoint(5, new File("1.sst", content.length(), true, null, path)), null, KnownFiles.none());

        assertThat(contents(uploaded.base())).containsExactly("1.sst=" + content);
    }

    @Test
    void aFileOfAnotherSizeThanItsCheckpointSaysIsRefused() {
        var checkpoint = new Checkpoint(5, new File("1.sst", 4, true, "one", null));

        assertThatExceptionOfType(CorruptionException.class)
                .isThrownBy(() -> upload(checkpoint, null, KnownFiles.none()))
                .withMessage("Cannot upload file 1.sst: it has 3 bytes, its checkpoint says 4;"
                        + " check the disk of the state directory");
        assertThat(checkpoint.closed).isEqualTo(1);
    }

    @Test
    void aFileThatCannotBeReadFailsTheUpload() {
        var checkpoint = new Checkpoint(5, new File("1.sst", 4, true, null, null));

        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> upload(checkpoint, null, KnownFiles.none()));
        assertThat(checkpoint.closed).isEqualTo(1);
    }

    @Test
    void aCancelledUploadStopsAndClosesItsCheckpoint() {
        var checkpoint = new Checkpoint(5, sst("1.sst", "one"), sst("2.sst", "two"), sst("3.sst", "three"));
        var asked = new AtomicInteger();

        assertThatExceptionOfType(CancellationException.class)
                .isThrownBy(
                        () -> uploader.upload(checkpoint, null, KnownFiles.none(), () -> asked.incrementAndGet() > 2));

        assertThat(objects.puts()).hasSize(1);
        assertThat(checkpoint.retained).isNull();
        assertThat(checkpoint.closed).isEqualTo(1);
    }

    @Test
    void filesAreUploadedBesideEachOtherWithinTheBound() {
        var pool = Executors.newCachedThreadPool();
        try {
            var running = new AtomicInteger();
            var most = new AtomicInteger();
            objects.beforeEach(() -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                Thread.onSpinWait();
                running.decrementAndGet();
            });
            var files = new ArrayList<LocalFile>();
            for (int i = 0; i < 300; i++) {
                files.add(sst(i + ".sst", "content " + i));
            }
            var checkpoint = new Checkpoint(5, files.toArray(LocalFile[]::new));

            var uploaded = new BaseUploader(store, Transfers.parallel(pool, 3), clock, REUSE_FOR)
                    .upload(checkpoint, null, KnownFiles.none(), () -> false);

            assertThat(most).hasValueBetween(1, 3);
            assertThat(contents(uploaded.base()))
                    .isEqualTo(files.stream()
                            .map(file -> file.name() + "=content " + file.name().replace(".sst", ""))
                            .toList());
        } finally {
            pool.shutdownNow();
        }
    }

    private BaseUploader.Uploaded upload(Checkpoint checkpoint, @Nullable Base previous, KnownFiles known) {
        return uploader.upload(checkpoint, previous, known, () -> false);
    }

    private List<String> contents(Base base) {
        return base.files().stream()
                .map((BaseFile file) -> file.name() + "=" + new String(store.read(file.content()), UTF_8))
                .toList();
    }

    private static String sha256(String content) {
        return Sha256.of(content.getBytes(UTF_8));
    }

    private static LocalFile sst(String name, String content) {
        return new File(name, content.length(), true, content, null);
    }

    private static LocalFile mutable(String name, String content) {
        return new File(name, content.length(), false, content, null);
    }

    private record File(
            String name,
            long sizeBytes,
            boolean immutable,
            @Nullable String content,
            @Nullable Path file) implements LocalFile {

        @Override
        public InputStream open() throws IOException {
            if (content == null) {
                throw new IOException("no such file");
            }
            return new ByteArrayInputStream(content.getBytes(UTF_8));
        }

        @Override
        public Optional<Path> path() {
            return Optional.ofNullable(file);
        }
    }

    private static final class Checkpoint implements LocalCheckpoint {

        private final long epoch;
        private final List<LocalFile> files;
        private @Nullable List<String> retained;
        private int closed;

        Checkpoint(long epoch, LocalFile... files) {
            this.epoch = epoch;
            this.files = List.of(files);
        }

        @Override
        public long epoch() {
            return epoch;
        }

        @Override
        public List<LocalFile> files() {
            return files;
        }

        @Override
        public void retain(List<String> sha256) {
            assertThat(closed).isZero();
            retained = sha256;
        }

        @Override
        public void close() {
            closed++;
        }
    }
}
