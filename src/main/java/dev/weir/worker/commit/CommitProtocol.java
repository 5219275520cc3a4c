package dev.weir.worker.commit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides what happens to a thread's epochs between their end and their commit. At most one epoch is in flight beside the running one,
 * so that commits are serial; whatever fails ends in {@link Resolving}, where all open epochs are dead and only what the group has
 * committed decides how they ended.
 *
 * <pre>
 *   Open ──seal──▶ Securing ──secured──▶ Secured ──commit──▶ Committing ──committed──▶ Open
 *                     │ too late            │                     │ not committed, unknown
 *                     ▼                     ▼ lost, too late      ▼
 *                 Resolving ◀───────────────┴─────────────────────┘ ──resolved──▶ Open, or Suspended until the store answers
 *                     ▲ the running epoch is void
 *                    Open
 * </pre>
 */
public final class CommitProtocol {

    /** Where the epoch in flight stands. */
    public sealed interface State permits Open, Securing, Secured, Committing, Resolving, Suspended {}

    /** No epoch is in flight. */
    public record Open() implements State {}

    /** Its delta and manifest are being made durable. */
    public record Securing(SealedEpoch epoch, long deadlineMillis, long retryAtMillis) implements State {}

    /** It is durable and may be committed. */
    public record Secured(SealedEpoch epoch, Durable durable) implements State {}

    /** Its commit is under way. */
    public record Committing(SealedEpoch epoch, Durable durable) implements State {}

    /** All open epochs are dead; what the group has committed is being found out. */
    public record Resolving(
            @Nullable SealedEpoch epoch, @Nullable Durable durable, String reason, Then then, long retryAtMillis)
            implements State {}

    /** The store did not take a delta in time; inputs stay paused until it answers a probe. */
    public record Suspended(long probeAtMillis) implements State {}

    /** What follows once it is resolved. */
    public enum Then {
        GO_ON,
        WAIT_FOR_STORE
    }

    /** What is to be done. */
    public sealed interface Decision {
        /** Make the epoch's delta and manifest durable. */
        record Secure(SealedEpoch epoch) implements Decision {}

        /** Commit its transaction. */
        record Commit(SealedEpoch epoch, Durable durable) implements Decision {}

        /** It is committed: apply, acknowledge. */
        record Committed(SealedEpoch epoch, Durable durable) implements Decision {}

        /** Kill all open epochs' transactions, newest first, and read what the group has committed. */
        record Resolve(String reason) implements Decision {}

        /** Drop what is not committed and go back to the committed positions. */
        record RollBack(String reason) implements Decision {}

        /** Ask the store whether it takes writes again. */
        record Probe() implements Decision {}
    }

    private static final long RETRY_MILLIS = 500;

    private final long secureWithinMillis;
    private State state = new Open();

    /** @param secureWithinMillis how long an epoch may take to become durable before it is given up */
    public CommitProtocol(long secureWithinMillis) {
        this.secureWithinMillis = secureWithinMillis;
    }

    /** Where the epoch in flight stands. */
    public State state() {
        return state;
    }

    /** Whether no epoch is in flight. */
    public boolean isOpen() {
        return state instanceof Open;
    }

    /** Whether records may be processed into the running epoch. */
    public boolean mayProcess() {
        return !(state instanceof Resolving) && !(state instanceof Suspended);
    }

    /** The running epoch has ended. */
    public List<Decision> seal(SealedEpoch epoch, long nowMillis) {
        if (!isOpen()) {
            throw new IllegalStateException(
                    "Cannot end epoch " + epoch.number() + ": another one is in flight: " + state);
        }
        state = new Securing(epoch, nowMillis + secureWithinMillis, Long.MAX_VALUE);
        return List.of(new Decision.Secure(epoch));
    }

    /** It is durable. */
    public void onSecured(SealedEpoch epoch, Durable durable) {
        if (isSecuring(epoch)) {
            state = new Secured(epoch, durable);
        }
    }

    /** Whether it is this one that is being made durable. */
    public boolean isSecuring(SealedEpoch epoch) {
        return state instanceof Securing securing && securing.epoch.number() == epoch.number();
    }

    /** It did not become durable this time. */
    public List<Decision> onSecuringFailed(SealedEpoch epoch, String reason, long nowMillis) {
        if (!(state instanceof Securing securing) || securing.epoch.number() != epoch.number()) {
            return List.of();
        }
        if (nowMillis + RETRY_MILLIS < securing.deadlineMillis) {
            state = new Securing(epoch, securing.deadlineMillis, nowMillis + RETRY_MILLIS);
            return List.of();
        }
        return toResolving(null, null, "the store did not take the delta in time: " + reason, Then.WAIT_FOR_STORE);
    }

    /** The epoch that is durable may be committed now. */
    public List<Decision> commit() {
        if (!(state instanceof Secured secured)) {
            return List.of();
        }
        state = new Committing(secured.epoch, secured.durable);
        return List.of(new Decision.Commit(secured.epoch, secured.durable));
    }

    /** Its commit has returned. */
    public List<Decision> onCommitted(SealedEpoch epoch) {
        if (!(state instanceof Committing committing) || committing.epoch.number() != epoch.number()) {
            return List.of();
        }
        state = new Open();
        return List.of(new Decision.Committed(epoch, committing.durable));
    }

    /** The commit failed, or nobody knows how it ended: both take the same road. */
    public List<Decision> onCommitUncertain(SealedEpoch epoch, String reason) {
        if (!(state instanceof Committing committing) || committing.epoch.number() != epoch.number()) {
            return List.of();
        }
        return toResolving(epoch, committing.durable, reason, Then.GO_ON);
    }

    /** Something made all open epochs void: partitions were lost, a send failed, a revoke ran out of time. */
    public List<Decision> onVoid(String reason) {
        if (state instanceof Resolving || state instanceof Suspended) {
            return List.of();
        }
        if (state instanceof Committing committing) {
            return toResolving(committing.epoch, committing.durable, reason, Then.GO_ON);
        }
        return toResolving(null, null, reason, Then.GO_ON);
    }

    /**
     * Everything that was open is dead and the group's pointers have been read.
     *
     * @param committed whether they name the manifest of the epoch whose commit was uncertain
     */
    public List<Decision> onResolved(boolean committed, long nowMillis) {
        if (!(state instanceof Resolving resolving)) {
            return List.of();
        }
        state = resolving.then == Then.WAIT_FOR_STORE ? new Suspended(nowMillis) : new Open();
        var rollBack = new Decision.RollBack(resolving.reason);
        return committed && resolving.epoch != null && resolving.durable != null
                ? List.of(new Decision.Committed(resolving.epoch, resolving.durable), rollBack)
                : List.of(rollBack);
    }

    /** What the group has committed could not be found out this time. */
    public void onResolvingFailed(long nowMillis) {
        if (state instanceof Resolving resolving) {
            state = new Resolving(
                    resolving.epoch, resolving.durable, resolving.reason, resolving.then, nowMillis + RETRY_MILLIS);
        }
    }

    /** The store was asked. */
    public void onProbe(Probed probed, long nowMillis) {
        if (state instanceof Suspended) {
            state = probed == Probed.ANSWERED ? new Open() : new Suspended(nowMillis + RETRY_MILLIS);
        }
    }

    /** Whether a probe write succeeded. */
    public enum Probed {
        ANSWERED,
        FAILED
    }

    /** Time has passed. */
    public List<Decision> onTick(long nowMillis) {
        if (state instanceof Securing securing && nowMillis >= securing.deadlineMillis) {
            return toResolving(null, null, "the store did not take the delta in time", Then.WAIT_FOR_STORE);
        }
        if (state instanceof Securing securing && nowMillis >= securing.retryAtMillis) {
            state = new Securing(securing.epoch, securing.deadlineMillis, Long.MAX_VALUE);
            return List.of(new Decision.Secure(securing.epoch));
        }
        if (state instanceof Resolving resolving && nowMillis >= resolving.retryAtMillis) {
            state = new Resolving(resolving.epoch, resolving.durable, resolving.reason, resolving.then, Long.MAX_VALUE);
            return List.of(new Decision.Resolve(resolving.reason));
        }
        if (state instanceof Suspended suspended && nowMillis >= suspended.probeAtMillis) {
            state = new Suspended(Long.MAX_VALUE);
            return List.of(new Decision.Probe());
        }
        return List.of();
    }

    private List<Decision> toResolving(
            @Nullable SealedEpoch epoch, @Nullable Durable durable, String reason, Then then) {
        state = new Resolving(epoch, durable, reason, then, Long.MAX_VALUE);
        return List.of(new Decision.Resolve(reason));
    }
}
