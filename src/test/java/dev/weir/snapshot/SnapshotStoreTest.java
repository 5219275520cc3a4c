package dev.weir.snapshot;

import static dev.weir.snapshot.CheckpointManifest.Outcome.ABANDONED;
import static dev.weir.snapshot.CheckpointManifest.Outcome.COMPLETE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.barrier.ManifestRef;
import dev.weir.failure.CorruptionException;
import dev.weir.snapshot.Manifest.Range;
import dev.weir.time.Tokens;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class SnapshotStoreTest {

    private final InMemoryObjectStore objects = new InMemoryObjectStore(new Snapshots.HandClock());
    private final SnapshotStore store =
            new SnapshotStore(objects, "flights-domain", Tokens.from(new SplittableRandom(1)));

    @Test
    void objectsAreNeverWrittenTwice() {
        var first = store.putObject("same".getBytes(UTF_8));
        var second = store.putObject("same".getBytes(UTF_8));

        assertThat(first.object()).isNotEqualTo(second.object());
        assertThat(first.sha256()).isEqualTo(second.sha256()).isEqualTo(Sha256.of("same".getBytes(UTF_8)));
        assertThat(store.read(first)).isEqualTo("same".getBytes(UTF_8));
    }

    @Test
    void aSectionIsReadAndProvenByItself() {
        var stored = store.put("one|two|".getBytes(UTF_8));
        var section = stored.section(4, 3, Sha256.of("two".getBytes(UTF_8)));

        assertThat(store.read(section)).isEqualTo("two".getBytes(UTF_8));
        objects.put(stored.name(), "XXX|two|".getBytes(UTF_8));
        assertThat(store.read(section)).isEqualTo("two".getBytes(UTF_8));
        objects.put(stored.name(), "one|tXo|".getBytes(UTF_8));
        assertCorrupt(section, stored.name());
        assertThatIllegalArgumentException().isThrownBy(() -> stored.section(4, 5, section.sha256()));
    }

    @Test
    void anEmptyRangeIsRead() {
        assertThat(store.read(store.putObject(new byte[0]))).isEmpty();
    }

    @Test
    void damagedTruncatedAndMissingObjectsAreRefused() {
        var content = "0123456789".repeat(1000).getBytes(UTF_8);
        var range = store.putObject(content);
        var flipped = content.clone();
        flipped[5000] ^= 1;

        objects.put(range.object(), flipped);
        assertCorrupt(range, range.object());
        objects.put(range.object(), Arrays.copyOf(content, content.length - 1));
        assertCorrupt(range, range.object());
        objects.delete(List.of(range.object()));
        assertCorrupt(range, range.object());
    }

    @Test
    void aManifestComesBackAsItWas() {
        var ref = store.writeManifest(Snapshots.manifest());

        assertThat(store.readManifest(ref)).isEqualTo(Snapshots.manifest());
        assertThat(ref.name()).startsWith("flights-domain/manifests/flights-domain.airport-delays.pod-0.1/0000000000");
        assertThat(store.writeManifest(Snapshots.manifest()).name()).isNotEqualTo(ref.name());
        assertThat(store.readManifests(List.of(ref, ref))).containsOnlyKeys(ref);
    }

    @Test
    void aManifestThatIsMissingOrDifferentIsRefusedByName() {
        var ref = store.writeManifest(Snapshots.manifest());
        var other = new ManifestRef(ref.name(), "0".repeat(64));

        assertCorrupt(() -> store.readManifest(other), ref.name());
        var content = objects.get(ref.name());
        content[content.length / 2] ^= 1;
        objects.put(ref.name(), content);
        assertCorrupt(() -> store.readManifest(ref), ref.name());
        objects.delete(List.of(ref.name()));
        assertCorrupt(() -> store.readManifest(ref), ref.name());
        assertCorrupt(() -> store.readManifest(new ManifestRef("../../etc/passwd", "0".repeat(64))), "manifest");
    }

    @Test
    void aManifestOfAnotherDomainIsRefused() {
        var other = new SnapshotStore(objects, "other", Tokens.from(new SplittableRandom(2)));
        var ref = store.writeManifest(Snapshots.manifest());

        assertCorrupt(() -> other.readManifest(ref), "flights-domain, not of other");
        assertThatIllegalArgumentException().isThrownBy(() -> other.writeManifest(Snapshots.manifest()));
    }

    @Test
    void whoDecidesFirstHasDecided() {
        var abandoned = Snapshots.checkpoint(18, ABANDONED, "a-1");
        var complete = Snapshots.checkpoint(18, COMPLETE, "b-1");

        assertThat(store.readCheckpoint(18)).isEmpty();
        assertThat(store.decide(abandoned)).isEqualTo(abandoned);
        assertThat(store.decide(complete)).isEqualTo(abandoned);
        assertThat(store.decide(abandoned)).as("tried again").isEqualTo(abandoned);
        assertThat(store.readCheckpoint(18)).contains(abandoned);
        assertThat(store.checkpointRef(18).sha256()).isEqualTo(Sha256.of(ManifestCodec.encode(abandoned)));
    }

    @Test
    void twoCoordinatorsThatDecideAtOnceLearnTheSame() throws Exception {
        var threads = Executors.newFixedThreadPool(2);
        try {
            for (int id = 1; id <= 200; id++) {
                var start = new CyclicBarrier(2);
                var attempts = new ArrayList<Callable<CheckpointManifest>>();
                for (var mine :
                        List.of(Snapshots.checkpoint(id, COMPLETE, "a"), Snapshots.checkpoint(id, ABANDONED, "b"))) {
                    attempts.add(() -> {
                        start.await();
                        return store.decide(mine);
                    });
                }
                var decisions = threads.invokeAll(attempts);
                assertThat(decisions.get(0).get()).isEqualTo(decisions.get(1).get());
                assertThat(store.readCheckpoint(id)).contains(decisions.get(0).get());
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aDecisionUnderAnotherIdsNameIsRefused() {
        store.decide(Snapshots.checkpoint(18, COMPLETE, "a"));
        objects.put(store.layout().checkpoint(19), objects.get(store.layout().checkpoint(18)));

        assertCorrupt(() -> store.readCheckpoint(19), "it is about checkpoint 18");
    }

    @Test
    void theNewestCompleteCheckpointIsFoundBelowManyAbandonedOnes() {
        assertThat(store.newestComplete()).isEmpty();
        store.decide(Snapshots.checkpoint(3, COMPLETE, "a"));
        var newest = store.decide(Snapshots.checkpoint(4, COMPLETE, "a"));
        for (int id = 5; id < 205; id++) {
            store.decide(Snapshots.checkpoint(id, ABANDONED, "a"));
        }
        objects.put("flights-domain/checkpoints/readme", new byte[0]);

        assertThat(store.newestComplete()).contains(newest);
        assertThat(store.newestCheckpoints(Long.MAX_VALUE, 3)).containsExactly(204L, 203L, 202L);
        assertThat(store.newestCheckpoints(5, 10)).containsExactly(4L, 3L);
    }

    @Test
    void objectsThatAManifestMissesAreListed() {
        var manifest = Snapshots.manifest();
        var delta = manifest.tasks().get(0).deltas().get(0).content().object();
        objects.put(delta, new byte[0]);

        assertThat(store.missingObjects(manifest)).hasSize(3).doesNotContain(delta);
    }

    private void assertCorrupt(Range range, String named) {
        assertCorrupt(() -> store.read(range), named);
    }

    private static void assertCorrupt(ThrowingCallable call, String named) {
        assertThatExceptionOfType(CorruptionException.class).isThrownBy(call).withMessageContaining(named);
    }
}
