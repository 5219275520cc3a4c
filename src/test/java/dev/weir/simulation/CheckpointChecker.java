package dev.weir.simulation;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ManifestRef;
import dev.weir.barrier.TaskCut;
import dev.weir.snapshot.CheckpointManifest;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.snapshot.Manifest;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.topology.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Checks decided checkpoints: decided once (I8), cut consistently (I5), and holding the state of the input's prefix (I6). */
final class CheckpointChecker {

    private final Oracle oracle;
    private final Function<ManifestRef, Manifest> manifests;
    private final StateReader states;

    CheckpointChecker(Oracle oracle, Function<ManifestRef, Manifest> manifests, StateReader states) {
        this.oracle = oracle;
        this.manifests = manifests;
        this.states = states;
    }

    /** Restores a task's state from its base and deltas: the total by key. */
    @FunctionalInterface
    interface StateReader {
        Map<String, Long> read(TaskSnapshot snapshot);
    }

    /** Checks what the control topic says was decided: no id both ways, no id twice with different manifests, completed ids ascending. */
    static void checkDecisions(List<ControlRecord> control, Map<Long, CheckpointManifest> stored) {
        Map<Long, Outcome> decided = new TreeMap<>();
        for (var record : control) {
            if (record instanceof ControlRecord.CheckpointCompleted completed) {
                decide(decided, completed.checkpoint(), Outcome.COMPLETE);
            } else if (record instanceof ControlRecord.CheckpointAbandoned abandoned) {
                decide(decided, abandoned.checkpoint(), Outcome.ABANDONED);
            }
        }
        decided.forEach((id, outcome) -> {
            var manifest = stored.get(id);
            if (outcome == Outcome.COMPLETE && manifest == null) {
                throw new AssertionError("Checkpoint " + id + " is said to be complete and has no manifest");
            }
            if (manifest != null && manifest.outcome() != outcome) {
                throw new AssertionError("Checkpoint " + id + " is said to be " + outcome + " and its manifest says "
                        + manifest.outcome());
            }
        });
    }

    private static void decide(Map<Long, Outcome> decided, long checkpoint, Outcome outcome) {
        var before = decided.putIfAbsent(checkpoint, outcome);
        if (before != null && before != outcome) {
            throw new AssertionError(
                    "Checkpoint " + checkpoint + " was decided twice: " + before + ", then " + outcome);
        }
    }

    /** Checks a decided checkpoint; an abandoned one holds nothing to be checked. */
    void check(CheckpointManifest checkpoint) {
        if (checkpoint.outcome() == Outcome.COMPLETE) {
            if (checkpoint.cuts().isEmpty()) {
                throw new AssertionError("Checkpoint " + checkpoint.checkpoint() + " is complete without any task");
            }
            checkpoint.cuts().forEach(cut -> check(checkpoint, cut));
        }
    }

    private void check(CheckpointManifest checkpoint, TaskCut cut) {
        String what = "Checkpoint " + checkpoint.checkpoint() + ", task " + cut.task();
        var snapshot = manifests.apply(cut.manifest()).task(cut.task());
        if (snapshot == null) {
            throw new AssertionError(what + " has no entry in " + cut.manifest().name());
        }
        if (snapshot.epoch() != cut.epoch() || snapshot.lastCut().checkpoint() != checkpoint.checkpoint()) {
            throw new AssertionError(what + " was acknowledged at epoch " + cut.epoch()
                    + ", but the manifest is of epoch " + snapshot.epoch() + " and cut "
                    + snapshot.lastCut().checkpoint());
        }
        if (snapshot.lastCut().aligned()) {
            snapshot.positions().forEach((partition, position) -> {
                Long marker = checkpoint.markers().get(partition);
                if (marker != null && position < marker) {
                    throw new AssertionError(what + " is called aligned, but its position " + position + " in "
                            + partition + " is before the marker at " + marker);
                }
            });
        }
        var expected = expected(snapshot.positions());
        var held = new TreeMap<>(states.read(snapshot));
        if (!held.equals(expected)) {
            throw new AssertionError(
                    what + " at " + snapshot.positions() + " holds " + held + ", expected " + expected);
        }
    }

    private Map<String, Long> expected(Map<TopicPartition, Long> positions) {
        Map<String, Long> expected = new TreeMap<>();
        positions.forEach((partition, position) -> expected.putAll(oracle.state(partition.partition(), position)));
        return expected;
    }
}
