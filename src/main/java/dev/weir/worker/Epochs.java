package dev.weir.worker;

import dev.weir.barrier.Aligner;
import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.DomainState;
import dev.weir.barrier.TaskCut;
import dev.weir.codec.UnencodableException;
import dev.weir.failure.StoppedException;
import dev.weir.failure.TransientException;
import dev.weir.kafka.CommittedPosition;
import dev.weir.kafka.Output;
import dev.weir.kafka.Source;
import dev.weir.kafka.TransactionalSink;
import dev.weir.kafka.TransactionalSink.CommitOutcome;
import dev.weir.snapshot.Pointer;
import dev.weir.time.Background;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread's epochs: the running one, and the one that is being committed. Carries out what {@link CommitProtocol} decides. Owned by the
 * thread.
 */
final class Epochs {

    private static final Logger LOG = LoggerFactory.getLogger(Epochs.class);

    /** How many times the bound of a running epoch may be held in memory until the local disk has taken it. */
    private static final int UNAPPLIED_FACTOR = 4;

    private static final long MIN_OVERLAY_BYTES = 64 << 10;

    private final WorkerResources resources;
    private final WorkerSettings settings;
    private final String slot;
    private final String group;
    private final Background background;
    private final TaskTable tasks;
    private final Aligner aligner;
    private final Stores stores;
    private final Outbox outbox;
    private final Openings openings;
    private final Securing securing;
    private final CommitProtocol protocol;
    private final Consumer<Task> rewound;
    private final Consumer<Task> foreign;

    private DomainState domain = DomainState.empty();
    private @Nullable Sinks sinks;
    private long number;
    private boolean dirty;
    private long dirtySinceMillis;
    private long overlayBound;
    private long securedAtNanos;
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
        this.settings = settings;
        this.slot = slot;
        this.group = settings.group(processor);
        this.background = background;
        this.tasks = tasks;
        this.aligner = aligner;
        this.stores = stores;
        this.outbox = outbox;
        this.openings = openings;
        this.securing = new Securing(resources.snapshots(), resources.clock(), settings.domain(), slot);
        this.protocol = new CommitProtocol(settings.transactionTimeout().toMillis() / 3);
        this.overlayBound = settings.overlayBytes();
        this.rewound = rewound;
        this.foreign = foreign;
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
                && (protocol.isOpen() || !isFull(nowMillis))
                && !openSinks().isFull()
                && overlayBytes() < UNAPPLIED_FACTOR * settings.overlayBytes();
    }

    boolean isInFlight() {
        return !protocol.isOpen();
    }

    boolean isSuspended() {
        return protocol.state() instanceof CommitProtocol.Suspended;
    }

    int openEpochs() {
        return (dirty ? 1 : 0) + (protocol.isOpen() ? 0 : 1);
    }

    long lastCommitWallMillis() {
        return lastCommitWallMillis;
    }

    int maxRecordBytes() {
        return openSinks().maxRecordBytes();
    }

    /** A record was processed into the running epoch. */
    void onRecord(List<Output> outputs, long nowMillis) {
        touch(nowMillis);
        for (int i = 0; i < outputs.size(); i++) {
            openSinks().send(outputs.get(i));
        }
    }

    /** The running epoch has something to commit now. */
    void touch(long nowMillis) {
        if (!dirty) {
            dirty = true;
            dirtySinceMillis = nowMillis;
        }
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
        if (cut != null || isDue(nowMillis, occasion)) {
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
        return isSuspended() || (protocol.isOpen() && !dirty);
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

    private boolean isDue(long nowMillis, Occasion occasion) {
        if (!dirty) {
            return tasks.carried().stream().anyMatch(Task::isNew);
        }
        var interval = settings.commitInterval();
        return occasion == Occasion.REVOKE
                || isFull(nowMillis)
                || (interval != null && nowMillis - dirtySinceMillis >= interval.toMillis())
                || tasks.carried().stream().anyMatch(Task::isNew);
    }

    private boolean isFull(long nowMillis) {
        return dirty
                && (nowMillis - dirtySinceMillis
                                >= settings.transactionTimeout().toMillis() / 3
                        || runningBytes() >= overlayBound);
    }

    private long runningBytes() {
        long bytes = 0;
        for (var task : tasks.all()) {
            var state = task.state();
            if (state != null) {
                bytes += state.runningBytes();
            }
        }
        return bytes;
    }

    long overlayBytes() {
        long bytes = 0;
        for (var task : tasks.all()) {
            var state = task.state();
            if (state != null) {
                bytes += state.overlayBytes();
            }
        }
        return bytes;
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
            parts.add(SealedEpoch.TaskEpoch.of(task, cut));
        }
        var sealed = new SealedEpoch(++number, sink, cut == null ? 0 : cut.checkpoint(), List.copyOf(parts), nowMillis);
        var processor = carried.get(0).id.processor();
        if (dirty) {
            resources.listener().onEpochEnded(processor, (nowMillis - dirtySinceMillis) * 1_000_000);
        }
        if (cut != null) {
            resources.listener().onAligned(processor, (nowMillis - aligner.learnedAtMillis()) * 1_000_000);
            aligner.onCut(cut, nowMillis);
        }
        dirty = false;
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

    /**
     * What must be there before an epoch may be committed. That the inputs are the old ones is found out after the epoch's last record
     * was read, and so holds for all of its records.
     */
    private static final class Conditions {
        @Nullable
        Durable durable;

        boolean inputsAreSame;
    }

    private void secure(SealedEpoch epoch, Source source) {
        long begun = resources.clock().nanos();
        var conditions = new Conditions();
        conditions.inputsAreSame = !movesPositions(epoch);
        if (!conditions.inputsAreSame) {
            checkInputs(epoch, conditions, begun, source);
        }
        background.submit(
                "secure",
                securing.of(epoch, domain),
                durable -> {
                    conditions.durable = durable;
                    onCondition(epoch, conditions, begun);
                },
                failure -> {
                    if (failure instanceof UnencodableException) {
                        encodeAtOnce(failure, source);
                        return;
                    }
                    if (!(failure instanceof TransientException)) {
                        LOG.atError()
                                .setMessage("The delta could not be stored")
                                .addKeyValue("slot", slot)
                                .addKeyValue("epoch", epoch.number())
                                .setCause(failure)
                                .log();
                    }
                    onSecuringFailed(epoch, failure, source);
                });
    }

    /** Which record is to blame is not known any more: all are handled again, and the one whose value has no encoding will fail. */
    private void encodeAtOnce(Throwable failure, Source source) {
        for (var task : tasks.all()) {
            if (task.state() != null) {
                task.openState().encodeAtOnce();
            }
        }
        act(protocol.onVoid(String.valueOf(failure.getMessage())), source);
    }

    private void checkInputs(SealedEpoch epoch, Conditions conditions, long begunNanos, Source source) {
        background.submit(
                "inputs",
                openings.checkInputs(processorOf(epoch), domain),
                same -> {
                    conditions.inputsAreSame = true;
                    onCondition(epoch, conditions, begunNanos);
                },
                failure -> {
                    if (failure instanceof StoppedException) {
                        openings.failAll(failure);
                        act(protocol.onVoid(String.valueOf(failure.getMessage())), source);
                    } else {
                        onSecuringFailed(epoch, failure, source);
                    }
                });
    }

    /** Tasks that stand still have nothing read that could be of other inputs. */
    private boolean movesPositions(SealedEpoch epoch) {
        return epoch.tasks().stream().anyMatch(part -> {
            var task = tasks.find(part.task());
            var committed = task == null ? null : task.committed();
            return committed == null
                    || !committed.positions().equals(part.snapshot().positions());
        });
    }

    private void onCondition(SealedEpoch epoch, Conditions conditions, long begunNanos) {
        var durable = conditions.durable;
        if (durable == null || !conditions.inputsAreSame) {
            return;
        }
        securedAtNanos = resources.clock().nanos();
        overlayBound = Math.min(settings.overlayBytes(), overlayBound * 2);
        resources.listener().onSecured(processorOf(epoch), durable.deltaBytes(), securedAtNanos - begunNanos);
        protocol.onSecured(epoch, durable);
    }

    private void onSecuringFailed(SealedEpoch epoch, Throwable failure, Source source) {
        act(
                protocol.onSecuringFailed(
                        epoch,
                        String.valueOf(failure.getMessage()),
                        resources.clock().millis()),
                source);
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

    /** What the road back needs to bring along: new producers and what the group has committed. */
    private record Resolved(Sinks sinks, Set<TopicPartition> asked, Map<TopicPartition, CommittedPosition> committed) {}

    private void resolve(String reason, Source source) {
        var before = openSinks();
        var ids = before.newestFirst();
        var partitions = new HashSet<TopicPartition>();
        tasks.carried().forEach(task -> partitions.addAll(task.partitions));
        LOG.atWarn()
                .setMessage("Open epochs are void; going back to what is committed")
                .addKeyValue("slot", slot)
                .addKeyValue("reason", reason)
                .log();
        background.submit(
                "resolve",
                cancellation -> {
                    before.close();
                    return resolve(ids, partitions);
                },
                resolved -> {
                    sinks = resolved.sinks();
                    onResolved(resolved, source);
                },
                failure -> {
                    LOG.atWarn()
                            .setMessage("The outcome of open epochs is not known yet; trying again")
                            .addKeyValue("slot", slot)
                            .addKeyValue("reason", failure.getMessage())
                            .log();
                    protocol.onResolvingFailed(resources.clock().millis());
                });
    }

    private Resolved resolve(List<String> idsNewestFirst, Set<TopicPartition> partitions) {
        var opened = Sinks.open(resources.cluster(), idsNewestFirst);
        try {
            var committed = partitions.isEmpty()
                    ? Map.<TopicPartition, CommittedPosition>of()
                    : resources.cluster().committed(group, partitions);
            return new Resolved(opened, partitions, committed);
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private void onResolved(Resolved resolved, Source source) {
        var uncertain = protocol.state() instanceof CommitProtocol.Resolving resolving ? resolving.durable() : null;
        boolean happened = false;
        for (var task : tasks.carried()) {
            if (!resolved.asked().containsAll(task.partitions)) {
                continue;
            }
            var pointers = new HashMap<TopicPartition, Pointer>();
            for (var partition : task.partitions) {
                var position = resolved.committed().get(partition);
                if (position != null && !position.metadata().isEmpty()) {
                    pointers.put(partition, Pointer.decode(settings.domain(), position.metadata()));
                }
            }
            var named =
                    pointers.values().stream().map(Pointer::manifest).distinct().toList();
            if (uncertain != null && named.size() == 1 && named.get(0).equals(uncertain.manifest())) {
                happened = true;
            } else if (task.committedIn() == null ? !named.isEmpty() : !named.equals(List.of(task.committedIn()))) {
                foreign.accept(task);
            }
        }
        act(protocol.onResolved(happened, resources.clock().millis()), source);
    }

    private void rollBack(String reason, Source source) {
        dirty = false;
        if (isSuspended()) {
            overlayBound = Math.min(settings.overlayBytes(), Math.max(MIN_OVERLAY_BYTES, overlayBound / 2));
        }
        long now = resources.clock().millis();
        for (var task : tasks.carried()) {
            var committed = task.committed();
            if (committed != null) {
                task.moveTo(committed.positions());
            }
            if (task.state() != null) {
                task.openState().rollBack(task.epoch());
            }
            if (task.isAdmitted()) {
                aligner.rewind(task.id, new TreeMap<>(task.positions()), task.lastCut(), now);
            }
            task.positions().forEach(source::seek);
            rewound.accept(task);
        }
        resources.listener().onRolledBack(group.substring(settings.domain().length() + 1));
        LOG.atInfo()
                .setMessage("Rolled back to what is committed")
                .addKeyValue("slot", slot)
                .addKeyValue("tasks", tasks.carried().size())
                .addKeyValue("reason", reason)
                .log();
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
