package dev.weir.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.barrier.ControlRecord;
import dev.weir.snapshot.CheckpointManifest;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.snapshot.Restorer;
import dev.weir.snapshot.Transfers;
import dev.weir.state.DeltaCodec;
import dev.weir.state.StorageKeys;
import dev.weir.state.rocks.RocksSettings;
import dev.weir.state.rocks.RocksStateBackend;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Whether each checkpoint is decided once (I8), and holds the state of the input before its positions (I6). */
final class CheckpointCheck {

    private final Rig rig;
    private final Path folder;
    private int restored;

    /** Restores into new directories of the folder. */
    CheckpointCheck(Rig rig, Path folder) {
        this.rig = rig;
        this.folder = folder;
    }

    /** No id is both complete and abandoned, ids only grow, and the store says what the control topic says, which must have been read first. */
    static void checkDecisions(List<ControlRecord> control, Map<Long, CheckpointManifest> stored) {
        var decided = new TreeMap<Long, Outcome>();
        long started = 0;
        for (var record : control) {
            if (record instanceof ControlRecord.CheckpointStarted start) {
                if (start.checkpoint() <= started) {
                    throw new AssertionError("Checkpoint " + start.checkpoint() + " was started after " + started);
                }
                started = start.checkpoint();
            } else if (record instanceof ControlRecord.CheckpointCompleted completed) {
                decide(decided, completed.checkpoint(), Outcome.COMPLETE);
            } else if (record instanceof ControlRecord.CheckpointAbandoned abandoned) {
                decide(decided, abandoned.checkpoint(), Outcome.ABANDONED);
            }
        }
        decided.forEach((id, outcome) -> {
            var manifest = stored.get(id);
            if (manifest == null ? outcome == Outcome.COMPLETE : manifest.outcome() != outcome) {
                throw new AssertionError("Checkpoint " + id + " is " + outcome + " on the control topic, and "
                        + manifest + " in the store");
            }
        });
    }

    private static void decide(Map<Long, Outcome> decided, long id, Outcome outcome) {
        var before = decided.put(id, outcome);
        if (before != null && before != outcome) {
            throw new AssertionError("Checkpoint " + id + " was decided twice: " + before + ", then " + outcome);
        }
    }

    /** Restores the newest complete checkpoints, so many of them, and compares what they hold. */
    void checkNewest(int atMost) {
        rig.checkpoints().values().stream()
                .filter(checkpoint -> checkpoint.outcome() == Outcome.COMPLETE)
                .sorted((one, other) -> Long.compare(other.checkpoint(), one.checkpoint()))
                .limit(atMost)
                .forEach(this::checkStates);
    }

    void checkStates(CheckpointManifest checkpoint) {
        for (var cut : checkpoint.cuts()) {
            var snapshot = rig.snapshots().readManifest(cut.manifest()).task(cut.task());
            if (snapshot == null || snapshot.epoch() != cut.epoch()) {
                throw new AssertionError(
                        "Checkpoint " + checkpoint.checkpoint() + " names " + cut + ", found " + snapshot);
            }
            int partition = cut.task().partition();
            var expected = rig.sequence().state(partition, snapshot.positions().getOrDefault(rig.in(partition), 0L));
            var held = state(snapshot);
            if (!held.equals(expected)) {
                throw new AssertionError("Checkpoint " + checkpoint.checkpoint() + " holds " + held + " for "
                        + cut.task() + " at " + snapshot.positions() + ", expected " + expected);
            }
        }
    }

    /** The totals in a snapshot, restored from the store onto an empty disk. */
    private Map<String, Long> state(TaskSnapshot snapshot) {
        var totals = new TreeMap<String, Long>();
        if (snapshot.states().isEmpty()) {
            return totals;
        }
        int number = snapshot.states().get(0).number();
        var disk = folder.resolve("restore-" + ++restored);
        try (var backend = new RocksStateBackend(disk, new RocksSettings(16 << 20, 4 << 20, 64));
                var store = new Restorer(rig.snapshots(), backend, DeltaCodec::decode, Transfers.sequential())
                        .restore(snapshot, "none", () -> false, Restorer.Progress.NONE)
                        .store()) {
            store.scan(StorageKeys.statePrefix(number), (key, value) -> {
                totals.put(
                        new String(StorageKeys.keyOfValue(key), UTF_8),
                        ByteBuffer.wrap(value).getLong());
                return true;
            });
        }
        return totals;
    }
}
