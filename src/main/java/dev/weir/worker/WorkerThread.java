package dev.weir.worker;

import dev.weir.barrier.Aligner;
import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.DomainState;
import dev.weir.failure.FencedException;
import dev.weir.failure.StoppedException;
import dev.weir.failure.TransientException;
import dev.weir.kafka.KafkaCluster;
import dev.weir.kafka.Source;
import dev.weir.status.TaskStatus;
import dev.weir.status.ThreadStatus;
import dev.weir.status.ThreadStatus.Phase;
import dev.weir.time.Background;
import dev.weir.topology.TopicPartition;
import dev.weir.worker.commit.Sinks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker thread: one consumer, a set of tasks, their epochs. Everything happens in {@link #step}, called again and again by one
 * thread, and in what {@link Background} delivers to it.
 */
public final class WorkerThread {

    private static final Logger LOG = LoggerFactory.getLogger(WorkerThread.class);
    private static final long STATUS_MILLIS = 200;
    private static final Duration SOON = Duration.ofMillis(2);

    private final BoundProcessor bound;
    private final WorkerSettings settings;
    private final WorkerResources resources;
    private final Background background;
    private final String slot;
    private final String token;
    private final TaskTable tasks = new TaskTable();
    private final Aligner aligner;
    private final Stores stores;
    private final Outbox outbox;
    private final Openings openings;
    private final Epochs epochs;
    private final Processing processing;
    private final Ownership ownership;

    private DomainState domain = DomainState.empty();
    private Phase phase = Phase.STARTING;
    private boolean registered;
    private boolean openingSinks;
    private long openSinksAtMillis;
    private @Nullable Source source;
    private @Nullable String failure;
    private long statusAtMillis = Long.MIN_VALUE;
    private volatile boolean stopRequested;
    private volatile ThreadStatus status;

    /** The {@code number}th thread of a processor, from 0. It does nothing before it is stepped. */
    public WorkerThread(
            BoundProcessor bound,
            int number,
            WorkerSettings settings,
            WorkerResources resources,
            Background background) {
        this.bound = bound;
        this.settings = settings;
        this.resources = resources;
        this.background = background;
        var processor = bound.spec().name();
        this.slot = settings.slot(processor, number);
        this.token = resources.tokens().next();
        this.aligner = new Aligner(settings.alignmentTimeout().toMillis());
        var handler = new RecordHandler(bound);
        this.stores = new Stores(resources, settings, processor, background);
        this.outbox = new Outbox(resources.cluster(), background, this::fail);
        this.openings = new Openings(
                resources,
                settings,
                slot,
                settings.group(processor),
                bound.spec().inputs(),
                background,
                tasks,
                aligner,
                handler,
                outbox);
        this.epochs = new Epochs(
                resources,
                settings,
                processor,
                slot,
                background,
                tasks,
                aligner,
                stores,
                outbox,
                openings,
                task -> onRewound(task),
                task -> onForeign(task));
        this.processing =
                new Processing(resources, settings, processor, tasks, aligner, handler, openings, epochs, background);
        this.ownership = new Ownership(
                resources, settings, bound.spec(), slot, background, tasks, aligner, stores, epochs, processing);
        this.status = statusNow();
        register();
    }

    private void register() {
        outbox.add(new ControlRecord.SlotRegistered(
                slot, settings.group(bound.spec().name()), slot, settings.transactionalIds(slot), token));
    }

    /** Its slot. */
    public String slot() {
        return slot;
    }

    /** What it is doing; from any thread. */
    public ThreadStatus status() {
        return status;
    }

    /** Whether it has ended, in good order or not; from any thread. */
    public boolean isDone() {
        var now = status.phase();
        return now == Phase.STOPPED || now == Phase.FAILED;
    }

    /** Asks it to commit, hand over and end; from any thread. */
    public void stop() {
        stopRequested = true;
    }

    /** A record of the control topic, and the domain's state after it; from any thread. */
    public void onControl(ControlRecord record, DomainState after) {
        background.post(() -> control(record, after));
    }

    /** Does a bounded amount of work. */
    public void step() {
        if (phase == Phase.FAILED || phase == Phase.STOPPED) {
            return;
        }
        try {
            background.deliver();
            if (phase == Phase.FAILED) {
                return;
            }
            outbox.pump(resources.clock().millis());
            if (stopRequested) {
                shutDown();
            } else if (source == null) {
                start();
            } else {
                run(source);
            }
        } catch (RuntimeException e) {
            fail(e);
        }
        publishStatus();
    }

    private void start() {
        long now = resources.clock().millis();
        if (registered && !openingSinks && now >= openSinksAtMillis) {
            openingSinks = true;
            var ids = settings.transactionalIds(slot);
            background.submit(
                    "open",
                    cancellation -> {
                        processing.cluster(resources.cluster().clusterId());
                        return Sinks.open(resources.cluster(), ids);
                    },
                    opened -> {
                        processing.domain(domain);
                        epochs.open(opened, domain);
                        processing.limit(opened.maxRecordBytes());
                        aligner.begin(domain, resources.clock().millis());
                        source = resources
                                .cluster()
                                .openSource(
                                        new KafkaCluster.SourceSettings(
                                                settings.group(bound.spec().name()),
                                                slot,
                                                bound.spec().inputs(),
                                                resources
                                                        .backend()
                                                        .tasksOnDisk(
                                                                bound.spec().name())),
                                        ownership);
                        ownership.open(source);
                        phase = Phase.RUNNING;
                    },
                    failed -> {
                        openingSinks = false;
                        openSinksAtMillis = resources.clock().millis() + 500;
                        if (!(failed instanceof TransientException)) {
                            fail(failed);
                        }
                    });
        }
        background.await(settings.pollTime());
    }

    private void run(Source open) {
        long now = resources.clock().millis();
        for (var task : tasks.all()) {
            openings.pump(task, domain, open);
            openings.admit(task, domain);
            stores.pump(task);
        }
        openings.inspect(domain, bound.spec().name());
        epochs.advance(now, open, Epochs.Occasion.STEP);
        processing.regulate(open, now);
        boolean busy = processing.isBusy(now);
        var wait = busy || processing.isReading()
                ? Duration.ZERO
                : epochs.isInFlight() || openings.isUnderWay() || aligner.target() != 0 ? SOON : settings.pollTime();
        try {
            for (var records : open.poll(wait)) {
                processing.add(records);
            }
        } catch (StoppedException e) {
            stopTasksOutOfRange(open, e);
        }
        if (!busy && processing.isReading()) {
            background.await(SOON);
        }
        processing.process(open);
        processing.passGaps(open);
        epochs.advance(resources.clock().millis(), open, Epochs.Occasion.STEP);
    }

    /** Records were deleted before they were read: only the tasks whose position is gone stop. */
    private void stopTasksOutOfRange(Source open, StoppedException reason) {
        Map<TopicPartition, Long> begins;
        try {
            begins = resources.cluster().beginningOffsets(open.owned());
        } catch (TransientException e) {
            // The next poll will say so again.
            return;
        }
        var gone = tasks.all().stream()
                .filter(task -> task.positions().entrySet().stream()
                        .anyMatch(at -> at.getValue() < begins.getOrDefault(at.getKey(), 0L)))
                .toList();
        if (gone.isEmpty()) {
            throw reason;
        }
        gone.stream().filter(task -> task.failure() == null).forEach(task -> openings.fail(task, reason));
    }

    private void control(ControlRecord record, DomainState after) {
        domain = after;
        if (record instanceof ControlRecord.SlotRegistered slotRegistered
                && slotRegistered.token().equals(token)) {
            registered = true;
        } else if (record instanceof ControlRecord.SlotFenced fenced
                && fenced.token().equals(token)) {
            // It was taken for dead and lives: somebody has to fence it when it dies.
            register();
        }
        if (source == null) {
            return;
        }
        epochs.domain(after);
        processing.domain(after);
        long now = resources.clock().millis();
        if (record instanceof ControlRecord.CheckpointStarted started) {
            aligner.onStarted(started.checkpoint(), now);
        } else if (record instanceof ControlRecord.MarkersPlaced placed) {
            aligner.onPlaced(placed.checkpoint(), placed.offsets());
        } else if (record instanceof ControlRecord.CheckpointCompleted completed) {
            aligner.onClosed(completed.checkpoint(), now);
        } else if (record instanceof ControlRecord.CheckpointAbandoned abandoned) {
            aligner.onClosed(abandoned.checkpoint(), now);
        } else if (record instanceof ControlRecord.FullState) {
            aligner.begin(after, now);
        }
    }

    private void onRewound(Task task) {
        processing.drop(task);
    }

    private void onForeign(Task task) {
        ownership.onForeign(task);
    }

    private void shutDown() {
        phase = Phase.STOPPING;
        if (source != null) {
            if (!ownership.settle(settings.revokeDeadline())) {
                epochs.abandon("the worker stops and the open epochs did not end in time", source);
            }
        }
        List.copyOf(tasks.all()).forEach(ownership::release);
        long deadline = resources.clock().millis() + settings.revokeDeadline().toMillis();
        awaitUntil(
                () -> !stores.isClosing() && !openings.isUnderWay() && !isOpeningSinks() && epochs.isSettled(),
                deadline);
        if (settings.departure() == WorkerSettings.Departure.LEAVE_GROUP && epochs.isSettled()) {
            outbox.add(new ControlRecord.SlotReleased(slot, token));
        }
        awaitUntil(outbox::isEmpty, deadline);
        closeClients();
        phase = Phase.STOPPED;
        LOG.atInfo()
                .setMessage("Worker thread stopped")
                .addKeyValue("slot", slot)
                .addKeyValue("records", processing.recordsTotal())
                .log();
    }

    private void awaitUntil(BooleanSupplier condition, long deadlineMillis) {
        while (!condition.getAsBoolean() && resources.clock().millis() < deadlineMillis) {
            outbox.pump(resources.clock().millis());
            background.await(Duration.ofMillis(50));
        }
    }

    private boolean isOpeningSinks() {
        return openingSinks && source == null;
    }

    /** Closes all, whatever becomes of one of them. */
    private void closeClients() {
        List<Runnable> all = List.of(
                this::closeSource, epochs::close, outbox::close, openings::close, background::close, stores::closeRest);
        for (var close : all) {
            try {
                close.run();
            } catch (RuntimeException e) {
                LOG.atWarn()
                        .setMessage("Something of a worker thread that ends could not be closed")
                        .addKeyValue("slot", slot)
                        .addKeyValue("reason", e.getMessage())
                        .log();
            }
        }
    }

    private void closeSource() {
        if (source == null) {
            return;
        }
        if (settings.departure() == WorkerSettings.Departure.LEAVE_GROUP) {
            source.leave(settings.revokeDeadline());
        } else {
            source.close();
        }
    }

    /** Ends in bad order; on its own thread. */
    void fail(Throwable reason) {
        if (phase == Phase.FAILED) {
            return;
        }
        failure = reason instanceof FencedException
                ? "Cannot go on as " + slot + ": " + reason.getMessage()
                        + "; is another process running with the same weir.instance-id?"
                : String.valueOf(reason.getMessage());
        phase = Phase.FAILED;
        LOG.atError()
                .setMessage("Worker thread failed; restart the process when the cause is mended")
                .addKeyValue("slot", slot)
                .addKeyValue("reason", failure)
                .setCause(reason)
                .log();
        for (var task : List.copyOf(tasks.all())) {
            tasks.remove(task);
            task.gone();
            if (task.state() != null) {
                task.openState().store().closeDirty();
            }
        }
        closeClients();
        statusAtMillis = Long.MIN_VALUE;
        publishStatus();
    }

    private void publishStatus() {
        long now = resources.clock().millis();
        if (now - statusAtMillis >= STATUS_MILLIS || phase != status.phase()) {
            statusAtMillis = now;
            status = statusNow();
            resources.listener().onOpen(slot, bound.spec().name(), epochs.overlayBytes(), epochs.openEpochs());
        }
    }

    private ThreadStatus statusNow() {
        var list = new ArrayList<TaskStatus>();
        for (var task : tasks.all()) {
            list.add(new TaskStatus(
                    task.id.processor(),
                    task.id.partition(),
                    task.phase(),
                    Math.max(0, task.epoch()),
                    task.lastCut(),
                    source == null || !task.isCarried() ? -1 : Processing.lag(source, task),
                    task.restoredBytes,
                    task.totalBytes,
                    task.failure()));
        }
        var shown = phase == Phase.RUNNING && epochs.isSuspended() ? Phase.WAITING_FOR_STORE : phase;
        return new ThreadStatus(
                slot,
                bound.spec().name(),
                shown,
                failure,
                List.copyOf(list),
                processing.recordsTotal(),
                epochs.openEpochs(),
                aligner.target(),
                epochs.lastCommitWallMillis());
    }
}
