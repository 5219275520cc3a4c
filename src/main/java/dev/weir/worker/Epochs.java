package dev.weir.worker;

import dev.weir.barrier.Aligner;
import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.DomainState;
import dev.weir.barrier.TaskCut;
import dev.weir.kafka.Output;
import dev.weir.kafka.Source;
import dev.weir.kafka.TransactionalSink;
import dev.weir.kafka.TransactionalSink.CommitOutcome;
import dev.weir.time.Background;
import dev.weir.worker.commit.CommitProtocol;
import dev.weir.worker.commit.Durable;
import dev.weir.worker.commit.SealedEpoch;
import dev.weir.worker.commit.Sinks;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A thread's epochs: the running one, and the one that is being committed. Carries out what {@link CommitProtocol} decides. Owned by the
 * thread.
 */
final class Epochs {

    private final WorkerResources resources;
    private final String slot;
    private final Background background;
    private final TaskTable tasks;
    private final Aligner aligner;
    private final Stores stores;
    private final Outbox outbox;
    private final Openings openings;
    private final Readiness readiness;
    private final CommitProtocol protocol;
    private final RunningEpoch running;
    private final WayBack wayBack;

    private DomainState domain = DomainState.empty();
    private @Nullable Sinks sinks;
    private long number;
    private long lastCommitWallMillis;

    Epochs(
            WorkerResources resources,
            WorkerSettings settings,
            String processor,
            String slot,
            Background background,
            TaskTable tasks,
            Aligner aligner,
            Stores stores,
            Outbox outbox,
            Openings openings,
            Consumer<Task> rewound,
            Consumer<Task> foreign) {
        this.resources = resources;
        this.slot = slot;
        this.background = background;
        this.tasks = tasks;
        this.aligner = aligner;
        this.stores = stores;
        this.outbox = outbox;
        this.openings = openings;
        this.readiness = new Readiness(resources, settings, slot, background, tasks, openings);
        this.protocol = new CommitProtocol(settings.transactionTimeout().toMillis() / 3);
        this.running = new RunningEpoch(settings, tasks);
        this.wayBack = new WayBack(resources, settings, processor, slot, background, tasks, aligner, rewound, foreign);
    }

    void open(Sinks opened, DomainState state) {
        sinks = opened;
        domain = state;
    }

    void domain(DomainState state) {
        domain = state;
    }

    /** Whether records may be processed now: an epoch that must end cannot grow while the one before it is not committed. */
    boolean mayProcess(long nowMillis) {
        return protocol.mayProcess()
                && (protocol.isOpen() || !running.isFull(nowMillis))
                && !openSinks().isFull()
                && running.hasRoom();
    }

    boolean isInFlight() {
        return !protocol.isOpen();
    }

    boolean isSuspended() {
        return protocol.state() instanceof CommitProtocol.Suspended;
    }

    int openEpochs() {
        return (running.isDirty() ? 1 : 0) + (protocol.isOpen() ? 0 : 1);
    }

    long lastCommitWallMillis() {
        return lastCommitWallMillis;
    }

    int maxRecordBytes() {
        return openSinks().maxRecordBytes();
    }

    /** A record was processed into the running epoch. */
    void onRecord(List<Output> outputs, long nowMillis) {
        running.touch(nowMillis);
        for (int i = 0; i < outputs.size(); i++) {
            openSinks().send(outputs.get(i));
        }
    }

    /** The running epoch has something to commit now. */
    void touch(long nowMillis) {
        running.touch(nowMillis);
    }

    /** Commits and ends epochs as far as that is due. Outside a rebalance callback nothing is committed while a rebalance is under way. */
    void advance(long nowMillis, Source source, Occasion occasion) {
        act(protocol.onTick(nowMillis), source);
        if (!openSinks().isFlushing() && (occasion == Occasion.REVOKE || !source.isRebalancing())) {
            act(protocol.commit(), source);
        }
        if (!protocol.isOpen()) {
            return;
        }
        var cut = aligner.due(nowMillis);
        if (cut != null || running.isDue(nowMillis, occasion)) {
            seal(cut, nowMillis, source);
        }
    }

    /** On what occasion epochs are advanced. */
    enum Occasion {
        STEP,
        REVOKE
    }

    /** Whether nothing is open: all that was processed is committed or given up. */
    boolean isSettled() {
        return isSuspended() || (protocol.isOpen() && !running.isDirty());
    }

    /** All that is open is void. */
    void abandon(String reason, Source source) {
        act(protocol.onVoid(reason), source);
    }

    void close() {
        if (sinks != null) {
            sinks.close();
        }
    }

    long overlayBytes() {
        return running.overlayBytes();
    }

    private void seal(Aligner.@Nullable Cut cut, long nowMillis, Source source) {
        var carried = tasks.carried();
        if (carried.isEmpty()) {
            return;
        }
        TransactionalSink sink;
        try {
            sink = openSinks().seal();
        } catch (RuntimeException e) {
            act(protocol.onVoid("outputs could not be written: " + e.getMessage()), source);
            return;
        }
        var parts = new ArrayList<SealedEpoch.TaskEpoch>(carried.size());
        for (var task : carried) {
            parts.add(task.seal(cut));
        }
        var sealed = new SealedEpoch(++number, sink, cut == null ? 0 : cut.checkpoint(), List.copyOf(parts), nowMillis);
        var processor = carried.get(0).id.processor();
        if (running.isDirty()) {
            resources.listener().onEpochEnded(processor, running.ageMillis(nowMillis) * 1_000_000);
        }
        if (cut != null) {
            resources.listener().onAligned(processor, (nowMillis - aligner.learnedAtMillis()) * 1_000_000);
            aligner.onCut(cut, nowMillis);
        }
        running.clear();
        if (openSinks().isFlushing()) {
            flush(sink, source);
        }
        act(protocol.seal(sealed, nowMillis), source);
    }

    private void flush(TransactionalSink sink, Source source) {
        var flushing = openSinks();
        background.submit(
                "flush",
                cancellation -> {
                    sink.flush();
                    return flushing;
                },
                flushed -> {
                    if (flushed == sinks) {
                        try {
                            flushed.flushed();
                        } catch (RuntimeException e) {
                            act(protocol.onVoid("outputs could not be written: " + e.getMessage()), source);
                        }
                    }
                },
                failure -> {
                    if (flushing == sinks) {
                        act(protocol.onVoid("outputs could not be written: " + failure.getMessage()), source);
                    }
                });
    }

    private void act(List<CommitProtocol.Decision> decisions, Source source) {
        for (var decision : decisions) {
            if (decision instanceof CommitProtocol.Decision.Secure secure) {
                secure(secure.epoch(), source);
            } else if (decision instanceof CommitProtocol.Decision.Commit commit) {
                commit(commit.epoch(), commit.durable(), source);
            } else if (decision instanceof CommitProtocol.Decision.Committed committed) {
                onCommitted(committed.epoch(), committed.durable());
            } else if (decision instanceof CommitProtocol.Decision.Resolve resolve) {
                resolve(resolve.reason(), source);
            } else if (decision instanceof CommitProtocol.Decision.RollBack rollBack) {
                rollBack(rollBack.reason(), source);
            } else if (decision instanceof CommitProtocol.Decision.Probe) {
                probe();
            }
        }
    }

    private void secure(SealedEpoch epoch, Source source) {
        long begun = resources.clock().nanos();
        readiness.of(epoch, domain, outcome -> {
            if (protocol.isSecuring(epoch)) {
                onReadiness(epoch, outcome, begun, source);
            }
        });
    }

    private void onReadiness(SealedEpoch epoch, Readiness.Outcome outcome, long begunNanos, Source source) {
        if (outcome instanceof Readiness.Outcome.Ready ready) {
            running.grow();
            resources
                    .listener()
                    .onSecured(
                            processorOf(epoch),
                            ready.durable().deltaBytes(),
                            resources.clock().nanos() - begunNanos);
            protocol.onSecured(epoch, ready.durable());
        } else if (outcome instanceof Readiness.Outcome.NotYet notYet) {
            act(
                    protocol.onSecuringFailed(
                            epoch, notYet.reason(), resources.clock().millis()),
                    source);
        } else if (outcome instanceof Readiness.Outcome.Never never) {
            act(protocol.onVoid(never.reason()), source);
        }
    }

    private void commit(SealedEpoch epoch, Durable durable, Source source) {
        var positions = durable.positions(slot, domain.incarnation());
        var member = source.member();
        if (!source.owned().containsAll(positions.keySet())) {
            var gone = new HashSet<>(positions.keySet());
            gone.removeAll(source.owned());
            act(protocol.onCommitUncertain(epoch, "partitions " + gone + " are not owned any more"), source);
            return;
        }
        long begun = resources.clock().nanos();
        background.submit(
                "commit",
                cancellation -> epoch.sink().commit(positions, member),
                outcome -> {
                    if (outcome instanceof CommitOutcome.Committed) {
                        resources
                                .listener()
                                .onCommitted(
                                        processorOf(epoch), resources.clock().nanos() - begun);
                        act(protocol.onCommitted(epoch), source);
                    } else {
                        act(protocol.onCommitUncertain(epoch, outcome.toString()), source);
                    }
                },
                failure -> act(protocol.onCommitUncertain(epoch, String.valueOf(failure.getMessage())), source));
    }

    private void onCommitted(SealedEpoch epoch, Durable durable) {
        lastCommitWallMillis = resources.clock().wallMillis();
        var cuts = new ArrayList<TaskCut>();
        for (int i = 0; i < epoch.tasks().size(); i++) {
            var part = epoch.tasks().get(i);
            if (part.cutsNow()) {
                cuts.add(new TaskCut(part.task(), part.snapshot().epoch(), durable.manifest()));
            }
            var task = tasks.find(part.task());
            if (task == null
                    || !task.isCarried()
                    || task.epoch() + 1 != part.snapshot().epoch()) {
                continue;
            }
            task.onCommitted(durable.snapshots().get(i), durable.manifest());
            if (part.changes() != null && part.hasChanges()) {
                stores.apply(task, part.changes());
            }
            if (part.cutsNow()) {
                openings.declineSkipped(task, domain);
            }
        }
        if (!cuts.isEmpty()) {
            outbox.add(new ControlRecord.Acknowledged(epoch.cut(), domain.incarnation(), slot, List.copyOf(cuts)));
        }
    }

    private void resolve(String reason, Source source) {
        wayBack.resolve(
                openSinks(),
                reason,
                resolved -> {
                    sinks = resolved.sinks();
                    var uncertain =
                            protocol.state() instanceof CommitProtocol.Resolving resolving ? resolving.durable() : null;
                    boolean happened = wayBack.names(resolved, uncertain);
                    act(protocol.onResolved(happened, resources.clock().millis()), source);
                },
                () -> protocol.onResolvingFailed(resources.clock().millis()));
    }

    private void rollBack(String reason, Source source) {
        running.clear();
        if (isSuspended()) {
            running.shrink();
        }
        wayBack.rollBack(reason, source);
    }

    private void probe() {
        background.submit(
                "secure",
                cancellation -> {
                    resources.objects().probe();
                    return CommitProtocol.Probed.ANSWERED;
                },
                probed -> protocol.onProbe(probed, resources.clock().millis()),
                failure -> protocol.onProbe(
                        CommitProtocol.Probed.FAILED, resources.clock().millis()));
    }

    private Sinks openSinks() {
        if (sinks == null) {
            throw new IllegalStateException("Cannot send: the producers of " + slot + " are not open");
        }
        return sinks;
    }

    private static String processorOf(SealedEpoch epoch) {
        return epoch.tasks().get(0).task().processor();
    }
}
