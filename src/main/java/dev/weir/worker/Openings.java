package dev.weir.worker;

import dev.weir.barrier.Aligner;
import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ControlRecord.Input;
import dev.weir.barrier.DomainState;
import dev.weir.barrier.ManifestRef;
import dev.weir.barrier.TaskCut;
import dev.weir.failure.StoppedException;
import dev.weir.failure.TransientException;
import dev.weir.kafka.Source;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.snapshot.Restorer.Restored;
import dev.weir.state.StateCache;
import dev.weir.state.StateSchema;
import dev.weir.state.TaskState;
import dev.weir.state.TaskStore;
import dev.weir.time.Background;
import dev.weir.topology.TopicPartition;
import dev.weir.worker.takeover.Inputs;
import dev.weir.worker.takeover.Takeover;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings assigned tasks to where they can run: read what is committed, restore the state, wait to be admitted. All of it beside the
 * processing of the other tasks. Owned by the thread.
 */
final class Openings {

    private static final Logger LOG = LoggerFactory.getLogger(Openings.class);
    private static final long RETRY_MILLIS = 500;
    private static final long INSPECT_MILLIS = 30_000;

    private final WorkerResources resources;
    private final WorkerSettings settings;
    private final String slot;
    private final String group;
    private final Background background;
    private final TaskTable tasks;
    private final Aligner aligner;
    private final RecordHandler handler;
    private final StateCache cache;
    private final Outbox outbox;
    private final List<String> topics;
    private final Handover handover = new Handover();
    private int underWay;
    private boolean inputsReported;
    private boolean inspecting;
    private long inspectAtMillis;

    Openings(
            WorkerResources resources,
            WorkerSettings settings,
            String slot,
            String group,
            List<String> topics,
            Background background,
            TaskTable tasks,
            Aligner aligner,
            RecordHandler handler,
            Outbox outbox) {
        this.resources = resources;
        this.settings = settings;
        this.slot = slot;
        this.group = group;
        this.topics = topics;
        this.background = background;
        this.tasks = tasks;
        this.aligner = aligner;
        this.handler = handler;
        this.cache = new StateCache(settings.cacheBytes());
        this.outbox = outbox;
    }

    /** What was found out about a task. */
    private sealed interface Found {
        record New(Map<TopicPartition, Long> positions, Map<String, Input> inputs) implements Found {}

        record Known(TaskSnapshot snapshot, ManifestRef manifest) implements Found {}
    }

    /** Stores on their way from the thread that restored them to the worker's, which may not wait for them any more. Safe for both. */
    private static final class Handover {

        private final Set<TaskStore> underWay = Collections.newSetFromMap(new IdentityHashMap<>());
        private boolean closed;

        synchronized Restored depart(Restored restored) {
            if (closed) {
                restored.store().closeDirty();
                throw new CancellationException("The worker's thread has ended");
            }
            underWay.add(restored.store());
            return restored;
        }

        synchronized void arrive(Restored restored) {
            underWay.remove(restored.store());
        }

        synchronized void close() {
            closed = true;
            underWay.forEach(TaskStore::closeDirty);
            underWay.clear();
        }
    }

    /** Starts what is to be done next for a task, if nothing is under way and it is time. */
    void pump(Task task, DomainState domain, Source source) {
        if (task.opening || task.failure() != null || resources.clock().millis() < task.openAtMillis) {
            return;
        }
        if (!task.isCarried()) {
            look(task, domain, source);
        } else if (task.committed() != null && task.state() == null) {
            restore(task);
        }
    }

    /** Looks now and then whether the inputs are still what the tasks' state was made from, and stops all tasks if not. */
    void inspect(DomainState domain, String processor) {
        var first = domain.inputs().get(processor);
        long now = resources.clock().millis();
        if (inspecting || first == null || now < inspectAtMillis) {
            return;
        }
        inspecting = true;
        inspectAtMillis = now + INSPECT_MILLIS;
        background.submit("inspect", checkInputs(processor, domain), same -> inspecting = false, failure -> {
            inspecting = false;
            if (failure instanceof StoppedException) {
                failAll(failure);
            }
        });
    }

    /** Finds out whether the inputs are still what the tasks' state was made from; throws if not. */
    Background.Work<String> checkInputs(String processor, DomainState domain) {
        var first = domain.inputs().get(processor);
        return cancellation -> {
            if (first != null) {
                Inputs.check(processor, first, Inputs.describe(resources.cluster(), topics));
            }
            return processor;
        };
    }

    /** All tasks stop. */
    void failAll(Throwable failure) {
        tasks.all().stream().filter(task -> task.failure() == null).forEach(task -> fail(task, failure));
    }

    private void look(Task task, DomainState domain, Source source) {
        var registration =
                domain.tasks().containsKey(task.id) ? Takeover.Registration.REGISTERED : Takeover.Registration.UNKNOWN;
        submit(task, "open " + task.id, cancellation -> find(task, domain, registration), found -> {
            if (found instanceof Found.New fresh) {
                if (!inputsReported) {
                    inputsReported = true;
                    outbox.add(new ControlRecord.InputsRegistered(task.id.processor(), fresh.inputs()));
                }
                task.moveTo(fresh.positions());
                fresh.positions().forEach(source::seek);
            } else if (found instanceof Found.Known known) {
                task.moveTo(known.snapshot().positions());
                task.onCommitted(known.snapshot(), known.manifest());
                known.snapshot().positions().forEach(source::seek);
                restore(task);
            }
        });
    }

    private Found find(Task task, DomainState domain, Takeover.Registration registration) {
        var inputs = Inputs.describe(resources.cluster(), topics);
        Inputs.check(task.id.processor(), domain.inputs().get(task.id.processor()), inputs);
        var committed = resources.cluster().committed(group, task.partitions);
        var takeover = Takeover.decide(
                settings.domain(), domain.incarnation(), task.id, task.partitions, committed, registration);
        if (takeover instanceof Takeover.Known known) {
            var pointer = known.pointer();
            var manifest = resources.snapshots().readManifest(pointer.manifest());
            return new Found.Known(Takeover.snapshot(pointer, manifest, task.id, committed), pointer.manifest());
        }
        return new Found.New(startPositions(task.partitions), inputs);
    }

    private Map<TopicPartition, Long> startPositions(Set<TopicPartition> partitions) {
        var from = settings.startFrom();
        var found = from instanceof WorkerSettings.StartFrom.Earliest
                ? resources.cluster().beginningOffsets(partitions)
                : from instanceof WorkerSettings.StartFrom.Timestamp timestamp
                        ? resources.cluster().offsetsAt(partitions, timestamp.millis())
                        : resources.cluster().endOffsets(partitions);
        if (!found.keySet().containsAll(partitions)) {
            throw new TransientException(
                    "Cannot start at " + from + ": the brokers know " + found.keySet() + " of " + partitions);
        }
        return new TreeMap<>(found);
    }

    private void restore(Task task) {
        var snapshot = task.committed();
        var manifest = task.committedIn();
        if (snapshot == null || manifest == null) {
            return;
        }
        task.restoring();
        long begun = resources.clock().nanos();
        submit(
                task,
                Stores.lane(task.id),
                cancellation -> handover.depart(
                        resources.restorer().restore(snapshot, manifest.sha256(), cancellation, (done, total) -> {
                            task.restoredBytes = done;
                            task.totalBytes = total;
                        })),
                restored -> opened(task, restored, begun));
    }

    private void opened(Task task, Restored restored, long begunNanos) {
        long nanos = resources.clock().nanos() - begunNanos;
        StateSchema schema;
        try {
            schema = handler.declareAll(schema(task));
        } catch (RuntimeException e) {
            restored.store().closeDirty();
            fail(task, e);
            return;
        }
        task.open(new TaskState(restored.store(), cache), restored.known(), schema);
        resources.listener().onRestored(task.id.processor(), restored.downloadedBytes(), nanos);
        LOG.atInfo()
                .setMessage("Task restored")
                .addKeyValue("task", task.id)
                .addKeyValue("epoch", task.epoch())
                .addKeyValue("from", restored.origin())
                .addKeyValue("downloaded_bytes", restored.downloadedBytes())
                .addKeyValue("duration_ms", nanos / 1_000_000)
                .log();
    }

    private static StateSchema schema(Task task) {
        var committed = task.committed();
        return committed == null
                ? StateSchema.empty()
                : StateSchema.of(committed.states().stream()
                        .map(entry -> new StateSchema.Entry(
                                entry.name(), entry.number(), StateSchema.Kind.parse(entry.kind()), entry.type()))
                        .toList());
    }

    /** Registers the task, takes part in alignment once it is admitted, and starts it once its state is open too. */
    void admit(Task task, DomainState domain) {
        if (task.committed() == null || task.failure() != null && task.isAdmitted()) {
            return;
        }
        if (!task.isAdmitted()) {
            var admitted = domain.tasks().get(task.id);
            if (admitted == null) {
                if (!task.isRegistering()) {
                    task.registering();
                    outbox.add(new ControlRecord.TaskRegistered(task.id, slot));
                }
                return;
            }
            if (admitted < 0) {
                return;
            }
            task.onAdmitted(admitted);
            aligner.addStanding(
                    task.id,
                    new TreeMap<>(task.positions()),
                    task.lastCut(),
                    resources.clock().millis());
            acknowledgeAgain(task, domain);
        }
        if (task.state() != null && !task.isMoving() && task.failure() == null) {
            task.start();
            aligner.setMoving(task.id);
        }
    }

    /** Says once more what a former owner may not have lived to say. */
    void acknowledgeAgain(Task task, DomainState domain) {
        var committed = task.committed();
        if (committed == null) {
            return;
        }
        var cut = committed.lastCut();
        for (var open : domain.open().values()) {
            if (!open.tasks().contains(task.id) || open.acknowledged().containsKey(task.id)) {
                continue;
            }
            if (open.id() == cut.checkpoint() && cut.manifest() != null) {
                outbox.add(new ControlRecord.Acknowledged(
                        open.id(),
                        domain.incarnation(),
                        slot,
                        List.of(new TaskCut(task.id, cut.epoch(), cut.manifest()))));
            }
        }
        declineSkipped(task, domain);
    }

    /** Says of open checkpoints below the task's last cut that it cannot take part in them any more. */
    void declineSkipped(Task task, DomainState domain) {
        for (var open : domain.open().headMap(task.lastCut()).values()) {
            if (open.tasks().contains(task.id) && !open.acknowledged().containsKey(task.id)) {
                outbox.add(new ControlRecord.Declined(
                        open.id(),
                        domain.incarnation(),
                        task.id,
                        "the task has cut checkpoint " + task.lastCut() + " already"));
            }
        }
    }

    private <T> void submit(Task task, String lane, Background.Work<T> work, Consumer<T> done) {
        task.opening = true;
        underWay++;
        background.submit(
                lane,
                cancellation -> work.run(() -> task.isGone() || cancellation.requested()),
                result -> {
                    task.opening = false;
                    underWay--;
                    if (result instanceof Restored restored) {
                        handover.arrive(restored);
                        if (!tasks.holds(task)) {
                            restored.store().closeDirty();
                        }
                    }
                    if (tasks.holds(task)) {
                        done.accept(result);
                    }
                },
                failure -> {
                    task.opening = false;
                    underWay--;
                    if (tasks.holds(task) && !(failure instanceof CancellationException)) {
                        onFailure(task, failure);
                    }
                });
    }

    private void onFailure(Task task, Throwable failure) {
        if (failure instanceof TransientException || failure instanceof UncheckedIOException) {
            task.openAtMillis = resources.clock().millis() + RETRY_MILLIS;
            LOG.atInfo()
                    .setMessage("Task cannot start yet; trying again")
                    .addKeyValue("task", task.id)
                    .addKeyValue("reason", failure.getMessage())
                    .log();
        } else {
            fail(task, failure);
        }
    }

    /** The task stops; what stands in its way is said once in the log, and in the status for as long as it does. */
    void fail(Task task, Throwable failure) {
        task.fail(String.valueOf(failure.getMessage()));
        aligner.setStanding(task.id);
        LOG.atError()
                .setMessage("Task stopped; it needs an operator")
                .addKeyValue("task", task.id)
                .addKeyValue("reason", failure.getMessage())
                .setCause(failure instanceof StoppedException ? null : failure)
                .log();
    }

    /** What is restored from now on, or has been and is not delivered any more, is closed. */
    void close() {
        handover.close();
    }

    /** Whether anything is under way, for tasks that have gone away too. */
    boolean isUnderWay() {
        return underWay > 0;
    }
}
