package dev.weir.coordinator;

import dev.weir.barrier.TaskCut;
import dev.weir.failure.CorruptionException;
import dev.weir.snapshot.CheckpointManifest;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.snapshot.CheckpointVerifier;
import dev.weir.snapshot.SnapshotStore;
import dev.weir.time.Clock;
import dev.weir.time.Tokens;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Examines checkpoints and decides them in the object store. */
final class CheckpointJudge {

    private final String domain;
    private final SnapshotStore store;
    private final Tokens tokens;
    private final Clock clock;

    CheckpointJudge(String domain, SnapshotStore store, Tokens tokens, Clock clock) {
        this.domain = domain;
        this.store = store;
        this.tokens = tokens;
        this.clock = clock;
    }

    /** Examines the cut of a checkpoint that all tasks have acknowledged. */
    Event.Verified examine(Decision.Verify wanted) {
        var checkpoint = wanted.checkpoint();
        try {
            var manifests = store.readManifests(checkpoint.acknowledged().values().stream()
                    .map(TaskCut::manifest)
                    .toList());
            var verifier = new CheckpointVerifier(domain, wanted.incarnation(), wanted.lineage(), Map.of());
            return new Event.Verified(
                    checkpoint.id(), verifier.verify(checkpoint, manifests).findings());
        } catch (CorruptionException e) {
            return new Event.Verified(checkpoint.id(), List.of(String.valueOf(e.getMessage())));
        }
    }

    /** Decides a checkpoint as wanted unless it has been decided before; returns what stands. */
    Event.Ruled rule(Decision.Rule wanted) {
        var checkpoint = wanted.checkpoint();
        var cuts = wanted.outcome() == Outcome.COMPLETE
                ? List.copyOf(new TreeMap<>(checkpoint.acknowledged()).values())
                : List.<TaskCut>of();
        var standing = store.decide(new CheckpointManifest(
                CheckpointManifest.FORMAT,
                domain,
                checkpoint.id(),
                wanted.incarnation(),
                wanted.lineage(),
                wanted.outcome(),
                wanted.reason(),
                checkpoint.startedAtMillis(),
                clock.wallMillis(),
                tokens.next(),
                checkpoint.markers() == null ? Map.of() : checkpoint.markers(),
                cuts));
        return new Event.Ruled(
                checkpoint.id(),
                standing.outcome(),
                standing.reason(),
                standing.startedAtMillis(),
                store.checkpointRef(checkpoint.id()));
    }
}
