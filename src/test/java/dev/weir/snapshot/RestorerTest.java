package dev.weir.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.failure.CorruptionException;
import dev.weir.failure.TransientException;
import dev.weir.snapshot.Manifest.Base;
import dev.weir.snapshot.Manifest.BaseFile;
import dev.weir.snapshot.Manifest.Delta;
import dev.weir.snapshot.Manifest.LastCut;
import dev.weir.snapshot.Manifest.Range;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.snapshot.Restorer.Origin;
import dev.weir.snapshot.Restorer.Progress;
import dev.weir.state.Bytes;
import dev.weir.state.Changes;
import dev.weir.time.Tokens;
import dev.weir.topology.TaskId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RestorerTest {

    private static final TaskId TASK = Snapshots.TASK;

    private final StoreWithFaults objects = new StoreWithFaults();
    private final SnapshotStore store = new SnapshotStore(objects, "flights", Tokens.from(new SplittableRandom(1)));
    private final FakeBackend backend = new FakeBackend();
    private final Restorer restorer = new Restorer(store, backend, RestorerTest::read, Transfers.sequential());

    private final Range sst1 = store.putObject("a=1\nb=1\n".getBytes(UTF_8));
    private final Range sst2 = store.putObject("c=1\n".getBytes(UTF_8));
    private final Range empty = store.putObject(new byte[0]);
    private final Base base = new Base(
            4, List.of(new BaseFile("1.sst", sst1), new BaseFile("2.sst", sst2), new BaseFile("3.log", empty)));
    private final Range delta5 = sectionOf("someone else's|", delta(TASK, 5, "a=5", "d=5"));
    private final Range delta7 = store.putObject(delta(TASK, 7, "b=", "d=7").getBytes(UTF_8));
    private final List<Delta> deltas = List.of(new Delta(5, delta5), new Delta(7, delta7));

    @Test
    void aBaseAndItsDeltasAreTheState() {
        var restored = restore(snapshot(9, base, deltas));

        var opened = backend.opened.get(0);
        assertThat(restored.store()).isSameAs(opened);
        assertThat(opened.entries).isEqualTo(Map.of("a", "5", "c", "1", "d", "7"));
        assertThat(opened.applied).containsExactly(5L, 7L);
        assertThat(opened.epoch()).isEqualTo(9);
        assertThat(opened.closedDirty).isFalse();
        assertThat(restored.origin()).isEqualTo(Origin.BASE);
        assertThat(restored.downloadedBytes()).isEqualTo(base.sizeBytes() + delta5.length() + delta7.length());
        assertThat(backend.assembliesClosed).isEqualTo(1);
    }

    @Test
    void whatIsRestoredIsKnownToTheNextUpload() {
        var known = restore(snapshot(9, base, deltas)).known();

        assertThat(known.find("1.sst")).isEqualTo(new KnownFiles.Known(sst1, null));
        assertThat(known.find("4.sst")).isNull();
    }

    @Test
    void withoutABaseTheDeltasAreTheState() {
        var restored = restore(snapshot(7, null, deltas));

        assertThat(backend.opened.get(0).entries).isEqualTo(Map.of("a", "5", "d", "7"));
        assertThat(restored.origin()).isEqualTo(Origin.EMPTY);
        assertThat(restore(snapshot(0, null, List.of())).store().epoch()).isZero();
    }

    @Test
    void aStoreThatWasClosedCleanlyIsTakenAsItIs() {
        backend.clean = new FakeBackend.Store(9);
        backend.cleanFingerprint = "pointer";

        var restored = restore(snapshot(9, base, deltas));

        assertThat(restored.store()).isSameAs(backend.clean);
        assertThat(restored.origin()).isEqualTo(Origin.CLEAN);
        assertThat(restored.known().find("2.sst")).isEqualTo(new KnownFiles.Known(sst2, null));
        assertThat(objects.opens()).isEmpty();
    }

    @Test
    void aCleanStoreAtAnotherEpochIsRefused() {
        backend.clean = new FakeBackend.Store(8);
        backend.cleanFingerprint = "pointer";

        assertCorrupt(snapshot(9, base, deltas), "the store on the disk is at epoch 8, expected 9");
        assertThat(backend.clean.closedDirty).isTrue();
    }

    @Test
    void filesOnTheDiskAreNotDownloaded() {
        backend.onDisk.put(sst1.sha256(), "a=1\nb=1\n");

        var restored = restore(snapshot(4, base, List.of()));

        assertThat(objects.opens()).containsExactly(sst2.object());
        assertThat(restored.reusedBytes()).isEqualTo(sst1.length());
        assertThat(restored.downloadedBytes()).isEqualTo(sst2.length());
        assertThat(backend.opened.get(0).entries).isEqualTo(Map.of("a", "1", "b", "1", "c", "1"));
    }

    @Test
    void aDamagedBaseFileIsRefusedBeforeAnythingIsOpened() {
        objects.put(sst1.object(), "a=1\nb=2\n".getBytes(UTF_8));

        assertNothingOpened(snapshot(9, base, deltas), sst1.object());
    }

    @Test
    void aTruncatedBaseFileIsRefusedBeforeAnythingIsOpened() {
        objects.put(sst1.object(), "a=1\n".getBytes(UTF_8));

        assertNothingOpened(snapshot(9, base, deltas), sst1.object());
    }

    @Test
    void aMissingBaseFileIsRefusedBeforeAnythingIsOpened() {
        objects.delete(List.of(sst2.object()));

        assertNothingOpened(snapshot(9, base, deltas), sst2.object());
    }

    @Test
    void aDamagedTruncatedOrMissingDeltaIsRefusedBeforeItIsApplied() {
        var content = objects.get(delta7.object());
        var flipped = content.clone();
        flipped[content.length - 2] ^= 1;

        objects.put(delta7.object(), flipped);
        assertRefusedUnapplied(delta7);
        objects.put(delta7.object(), Arrays.copyOf(content, content.length - 1));
        assertRefusedUnapplied(delta7);
        objects.delete(List.of(delta7.object()));
        assertRefusedUnapplied(delta7);
    }

    @Test
    void aDeltaOfAnotherTaskOrEpochIsRefused() {
        var otherTask =
                store.putObject(delta(new TaskId("airport-delays", 4), 7, "a=9").getBytes(UTF_8));
        var otherEpoch = store.putObject(delta(TASK, 6, "a=9").getBytes(UTF_8));

        assertCorrupt(
                snapshot(9, base, List.of(new Delta(7, otherTask))),
                "is of task airport-delays/4 and epoch 7, expected epoch 7 of this task");
        assertCorrupt(
                snapshot(9, base, List.of(new Delta(7, otherEpoch))),
                "is of task airport-delays/3 and epoch 6, expected epoch 7 of this task");
        assertThat(backend.opened).hasSize(2).allMatch(opened -> opened.closedDirty && opened.applied.isEmpty());
    }

    @Test
    void aSnapshotThatIsNotSoundIsRefusedBeforeAnythingIsRead() {
        assertNothingOpened(snapshot(9, base, List.of(deltas.get(1), deltas.get(0))), "does not come after epoch 7");
        assertNothingOpened(snapshot(3, base, List.of()), "its base is of epoch 4, beyond its own epoch 3");
        assertNothingOpened(
                snapshot(9, new Base(4, List.of(new BaseFile("../../x", sst1))), List.of()), "not a plain file name");
        assertThat(objects.opens()).isEmpty();
        assertThat(backend.assemblies).isZero();
    }

    @Test
    void aBaseThatOpensAtAnotherEpochIsRefused() {
        backend.openAtOtherEpoch = 3;

        assertCorrupt(snapshot(9, base, deltas), "the store on the disk is at epoch 3, expected 4");
        assertThat(backend.opened.get(0).closedDirty).isTrue();
        assertThat(backend.opened.get(0).applied).isEmpty();
    }

    @Test
    void aStoreThatDoesNotAnswerFailsTheRestoreForNow() {
        objects.failOn(name -> name.equals(delta7.object()));

        assertThatExceptionOfType(TransientException.class).isThrownBy(() -> restore(snapshot(9, base, deltas)));
        assertThat(backend.opened.get(0).closedDirty).isTrue();
    }

    @Test
    void progressReachesTheTotal() {
        backend.onDisk.put(sst1.sha256(), "a=1\nb=1\n");
        var done = new ArrayList<Long>();
        long total = base.sizeBytes() + delta5.length() + delta7.length();

        restorer.restore(snapshot(9, base, deltas), "pointer", () -> false, (doneBytes, totalBytes) -> {
            assertThat(totalBytes).isEqualTo(total);
            done.add(doneBytes);
        });

        assertThat(done).isSorted().endsWith(total);
    }

    /** However late it is cancelled, what was opened is closed (R36). */
    @Test
    void aCancelledRestoreLeavesNothingOpen() {
        int checks = countChecks();
        assertThat(checks).isGreaterThan(5);
        for (int allowed = 0; allowed < checks; allowed++) {
            backend.opened.clear();
            int assembliesBefore = backend.assemblies;
            int closedBefore = backend.assembliesClosed;
            var asked = new AtomicInteger();
            int limit = allowed;

            assertThatExceptionOfType(CancellationException.class)
                    .isThrownBy(() -> restorer.restore(
                            snapshot(9, base, deltas),
                            "pointer",
                            () -> asked.incrementAndGet() > limit,
                            Progress.NONE));

            assertThat(backend.opened).allMatch(opened -> opened.closedDirty);
            assertThat(backend.assembliesClosed - closedBefore).isEqualTo(backend.assemblies - assembliesBefore);
        }
    }

    @Test
    void aLargeBaseAndManyDeltasAreRestoredInParallelInOrder() {
        var pool = Executors.newCachedThreadPool();
        try {
            var files = new ArrayList<BaseFile>();
            var expected = new LinkedHashMap<String, String>();
            for (int i = 0; i < 50; i++) {
                var line = "k" + i + "=" + "x".repeat(20_000 * (i % 3)) + "\n";
                files.add(
                        new BaseFile(i + ".sst", store.putObject(line.repeat(5).getBytes(UTF_8))));
                expected.put("k" + i, "x".repeat(20_000 * (i % 3)));
            }
            var many = new ArrayList<Delta>();
            for (int epoch = 5; epoch < 205; epoch++) {
                var content = delta(TASK, epoch, "k" + epoch % 7 + "=" + epoch);
                many.add(new Delta(epoch, store.putObject(content.getBytes(UTF_8))));
                expected.put("k" + epoch % 7, "" + epoch);
            }

            new Restorer(store, backend, RestorerTest::read, Transfers.parallel(pool, 4))
                    .restore(snapshot(204, new Base(4, files), many), "pointer", () -> false, Progress.NONE);

            assertThat(backend.opened.get(0).entries).isEqualTo(expected);
            assertThat(backend.opened.get(0).applied).isSorted().hasSize(200);
        } finally {
            pool.shutdownNow();
        }
    }

    private int countChecks() {
        var asked = new AtomicInteger();
        restorer.restore(
                snapshot(9, base, deltas),
                "pointer",
                () -> {
                    asked.incrementAndGet();
                    return false;
                },
                Progress.NONE);
        return asked.get();
    }

    private Restorer.Restored restore(TaskSnapshot snapshot) {
        return restorer.restore(snapshot, "pointer", () -> false, Progress.NONE);
    }

    private void assertCorrupt(TaskSnapshot snapshot, String named) {
        assertThatExceptionOfType(CorruptionException.class)
                .isThrownBy(() -> restore(snapshot))
                .withMessageContaining(named);
    }

    private void assertNothingOpened(TaskSnapshot snapshot, String named) {
        assertCorrupt(snapshot, named);
        assertThat(backend.opened).isEmpty();
        assertThat(backend.assembliesClosed).isEqualTo(backend.assemblies);
    }

    private void assertRefusedUnapplied(Range damaged) {
        backend.opened.clear();
        assertCorrupt(snapshot(9, base, deltas), damaged.object());
        assertThat(backend.opened).hasSize(1).allMatch(opened -> opened.closedDirty && !opened.applied.contains(7L));
    }

    private static TaskSnapshot snapshot(long epoch, @Nullable Base base, List<Delta> deltas) {
        return new TaskSnapshot(
                TASK, epoch, Map.of(), new LastCut(0, 0, null, true, Map.of()), base, deltas, List.of());
    }

    private Range sectionOf(String before, String section) {
        var bytes = section.getBytes(UTF_8);
        var stored = store.put((before + section + "|after").getBytes(UTF_8));
        return stored.section(before.length(), bytes.length, Sha256.of(bytes));
    }

    private static String delta(TaskId task, long epoch, String... changes) {
        return task + "\n" + epoch + "\n" + String.join("\n", changes) + "\n";
    }

    private static Changes read(byte[] section) {
        var lines = new String(section, UTF_8).lines().toList();
        var entries = new LinkedHashMap<Bytes, byte @Nullable []>();
        for (var line : lines.subList(2, lines.size())) {
            int equals = line.indexOf('=');
            var value = line.substring(equals + 1);
            entries.put(
                    Bytes.of(line.substring(0, equals).getBytes(UTF_8)),
                    value.isEmpty() ? null : value.getBytes(UTF_8));
        }
        return Changes.of(TaskId.parse(lines.get(0)), Long.parseLong(lines.get(1)), entries);
    }
}
