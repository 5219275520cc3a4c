package dev.weir.worker.commit;

import dev.weir.barrier.DomainState;
import dev.weir.snapshot.Manifest;
import dev.weir.snapshot.Manifest.Delta;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.snapshot.Sha256;
import dev.weir.snapshot.SnapshotStore;
import dev.weir.state.Changes;
import dev.weir.state.DeltaCodec;
import dev.weir.time.Background;
import dev.weir.time.Clock;
import dev.weir.topology.TaskId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes an epoch durable: one object with the changes of all its tasks, then one manifest. Runs beside the thread. */
public final class Securing {

    private final SnapshotStore snapshots;
    private final Clock clock;
    private final String domain;
    private final String slot;

    /** For the epochs of a slot. */
    public Securing(SnapshotStore snapshots, Clock clock, String domain, String slot) {
        this.snapshots = snapshots;
        this.clock = clock;
        this.domain = domain;
        this.slot = slot;
    }

    /** The work that makes an epoch durable; done again, it leaves nothing that is not used. */
    public Background.Work<Durable> of(SealedEpoch epoch, DomainState state) {
        return cancellation -> secure(epoch, state);
    }

    private Durable secure(SealedEpoch epoch, DomainState state) {
        List<Changes> changed = new ArrayList<>();
        for (var task : epoch.tasks()) {
            if (task.changes() != null && task.hasChanges()) {
                changed.add(task.changes());
            }
        }
        Map<TaskId, Delta> deltas = new HashMap<>();
        long bytes = 0;
        if (!changed.isEmpty()) {
            var encoded = DeltaCodec.encode(changed);
            var object = snapshots.put(encoded.bytes());
            bytes = encoded.bytes().length;
            for (var section : encoded.sections()) {
                var range = object.section(section.offset(), section.length(), sha256(encoded, section));
                deltas.put(section.task(), new Delta(section.epoch(), range));
            }
        }
        var tasks = new ArrayList<TaskSnapshot>();
        for (var task : epoch.tasks()) {
            var delta = deltas.get(task.task());
            tasks.add(delta == null ? task.snapshot() : with(task.snapshot(), delta));
        }
        var manifest = new Manifest(
                Manifest.FORMAT,
                domain,
                state.incarnation(),
                state.lineage(),
                slot,
                epoch.number(),
                clock.wallMillis(),
                tasks);
        return new Durable(snapshots.writeManifest(manifest), tasks, bytes);
    }

    private static String sha256(DeltaCodec.Encoded encoded, DeltaCodec.Section section) {
        return Sha256.of(Arrays.copyOfRange(encoded.bytes(), section.offset(), section.offset() + section.length()));
    }

    private static TaskSnapshot with(TaskSnapshot snapshot, Delta delta) {
        var deltas = new ArrayList<>(snapshot.deltas());
        deltas.add(delta);
        return new TaskSnapshot(
                snapshot.task(),
                snapshot.epoch(),
                snapshot.positions(),
                snapshot.lastCut(),
                snapshot.base(),
                List.copyOf(deltas),
                snapshot.states());
    }
}
