package dev.weir.worker;

import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.state.Changes;
import dev.weir.state.TaskStore;
import dev.weir.state.TaskStore.LocalCheckpoint;
import dev.weir.time.Background;
import dev.weir.topology.TaskId;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens to the tasks' stores beside the thread: committed changes are applied, bases are taken exactly between two applied epochs
 * and uploaded, stores are closed. One lane for each task keeps the order. Owned by the thread.
 */
final class Stores {

    private static final Logger LOG = LoggerFactory.getLogger(Stores.class);
    private static final long RETRY_MILLIS = 1_000;

    private final WorkerResources resources;
    private final WorkerSettings settings;
    private final String processor;
    private final Background background;
    private final Set<TaskStore> closing = Collections.newSetFromMap(new IdentityHashMap<>());

    Stores(WorkerResources resources, WorkerSettings settings, String processor, Background background) {
        this.resources = resources;
        this.settings = settings;
        this.processor = processor;
        this.background = background;
    }

    static String lane(TaskId task) {
        return "store " + task;
    }

    /** Has committed changes applied, after those that wait already. */
    void apply(Task task, Changes changes) {
        task.unapplied.add(changes);
        pump(task);
    }

    /** Goes on where applying failed, when it is time. */
    void pump(Task task) {
        var next = task.unapplied.peek();
        if (next == null || task.applying || resources.clock().millis() < task.applyAtMillis) {
            return;
        }
        var state = task.openState();
        var store = state.store();
        boolean withBase = task.unapplied.size() == 1 && isBaseDue(task);
        task.applying = true;
        background.submit(
                lane(task.id),
                cancellation -> {
                    store.apply(next);
                    return withBase ? Optional.of(store.checkpoint()) : Optional.<LocalCheckpoint>empty();
                },
                checkpoint -> {
                    task.applying = false;
                    task.unapplied.remove();
                    state.applied(next.epoch());
                    checkpoint.ifPresent(taken -> upload(task, taken));
                    pump(task);
                },
                failure -> {
                    task.applying = false;
                    if (store.epoch() >= next.epoch()) {
                        task.unapplied.remove();
                        state.applied(next.epoch());
                    }
                    task.applyAtMillis = resources.clock().millis() + RETRY_MILLIS;
                    LOG.atWarn()
                            .setMessage("Committed changes could not be written to the local disk; trying again")
                            .addKeyValue("task", task.id)
                            .addKeyValue("epoch", next.epoch())
                            .addKeyValue("reason", failure.getMessage())
                            .log();
                });
    }

    private boolean isBaseDue(Task task) {
        TaskSnapshot committed = task.committed();
        if (committed == null || task.baseUpload != null) {
            return false;
        }
        var base = task.base();
        long baseEpoch = base == null ? 0 : base.epoch();
        long deltaBytes = 0;
        int deltas = 0;
        for (var delta : committed.deltas()) {
            if (delta.epoch() > baseEpoch) {
                deltaBytes += delta.content().length();
                deltas++;
            }
        }
        return settings.bases().isDue(base == null ? 0 : base.sizeBytes(), deltaBytes, deltas);
    }

    private void upload(Task task, LocalCheckpoint checkpoint) {
        long begun = resources.clock().nanos();
        var previous = task.committed() == null ? null : task.committed().base();
        var known = task.files;
        task.baseUpload = background.submit(
                "base " + task.id,
                cancellation -> resources.uploader().upload(checkpoint, previous, known, cancellation),
                uploaded -> {
                    task.baseUpload = null;
                    task.onBase(uploaded.base());
                    resources
                            .listener()
                            .onBase(
                                    processor,
                                    uploaded.uploadedBytes(),
                                    resources.clock().nanos() - begun);
                },
                failure -> {
                    task.baseUpload = null;
                    LOG.atWarn()
                            .setMessage("A base could not be uploaded; a later epoch tries again")
                            .addKeyValue("task", task.id)
                            .addKeyValue("reason", failure.getMessage())
                            .log();
                });
    }

    /** Closes a task's store after all that is committed has been applied, so that it can be opened again as it is. */
    void close(Task task) {
        if (task.baseUpload != null) {
            task.baseUpload.cancel();
            task.baseUpload = null;
        }
        var state = task.state();
        if (state == null) {
            return;
        }
        var store = state.store();
        var manifest = task.committedIn();
        var fingerprint = manifest == null ? null : manifest.sha256();
        var rest = List.copyOf(task.unapplied);
        long epoch = task.epoch();
        closing.add(store);
        background.submit(
                lane(task.id),
                cancellation -> {
                    close(task.id, store, rest, fingerprint, epoch);
                    return store;
                },
                closing::remove,
                failure -> {
                    closing.remove(store);
                    LOG.atWarn()
                            .setMessage("A store was not closed cleanly; it will be restored")
                            .addKeyValue("task", task.id)
                            .addKeyValue("reason", failure.getMessage())
                            .log();
                });
    }

    private void close(TaskId task, TaskStore store, List<Changes> rest, @Nullable String fingerprint, long epoch) {
        boolean clean = false;
        try {
            for (var changes : rest) {
                if (changes.epoch() > store.epoch()) {
                    store.apply(changes);
                }
            }
            if (fingerprint != null) {
                store.advanceTo(epoch);
                resources.backend().closeClean(task, store, fingerprint);
                clean = true;
            }
        } finally {
            if (!clean) {
                store.closeDirty();
            }
        }
    }

    boolean isClosing() {
        return !closing.isEmpty();
    }

    /** Closes as they are the stores whose turn has not come; when nothing runs in the background any more. */
    void closeRest() {
        closing.forEach(TaskStore::closeDirty);
        closing.clear();
    }
}
