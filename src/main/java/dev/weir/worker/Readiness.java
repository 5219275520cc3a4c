package dev.weir.worker;

import dev.weir.barrier.DomainState;
import dev.weir.codec.UnencodableException;
import dev.weir.failure.StoppedException;
import dev.weir.failure.TransientException;
import dev.weir.time.Background;
import dev.weir.worker.commit.Durable;
import dev.weir.worker.commit.SealedEpoch;
import dev.weir.worker.commit.Securing;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What must be there before an epoch may be committed: its delta and manifest are durable, and its inputs are the ones that its tasks
 * began with. Owned by the thread; both are found out beside it.
 */
final class Readiness {

    private static final Logger LOG = LoggerFactory.getLogger(Readiness.class);

    private final Background background;
    private final TaskTable tasks;
    private final Openings openings;
    private final Securing securing;
    private final String slot;

    Readiness(
            WorkerResources resources,
            WorkerSettings settings,
            String slot,
            Background background,
            TaskTable tasks,
            Openings openings) {
        this.background = background;
        this.tasks = tasks;
        this.openings = openings;
        this.slot = slot;
        this.securing = new Securing(resources.snapshots(), resources.clock(), settings.domain(), slot);
    }

    /** What came of it. */
    sealed interface Outcome {
        /** It may be committed. */
        record Ready(Durable durable) implements Outcome {}

        /** It may work another time. */
        record NotYet(String reason) implements Outcome {}

        /** It must not be committed. */
        record Never(String reason) implements Outcome {}
    }

    /** That the inputs are the old ones is found out after the epoch's last record was read, and so holds for all of its records. */
    private static final class Conditions {
        @Nullable
        Durable durable;

        boolean inputsAreSame;

        void pass(Consumer<Outcome> outcome) {
            if (durable != null && inputsAreSame) {
                outcome.accept(new Outcome.Ready(durable));
            }
        }
    }

    /** Finds it out once; the outcome comes on this thread. It is not Ready after it was something else. */
    void of(SealedEpoch epoch, DomainState domain, Consumer<Outcome> outcome) {
        var conditions = new Conditions();
        conditions.inputsAreSame = !movesPositions(epoch);
        if (!conditions.inputsAreSame) {
            checkInputs(epoch, domain, conditions, outcome);
        }
        background.submit(
                "secure",
                securing.of(epoch, domain),
                durable -> {
                    conditions.durable = durable;
                    conditions.pass(outcome);
                },
                failure -> outcome.accept(onNotStored(epoch, failure)));
    }

    private Outcome onNotStored(SealedEpoch epoch, Throwable failure) {
        var reason = String.valueOf(failure.getMessage());
        if (failure instanceof UnencodableException) {
            // Which record is to blame is not known any more: all are handled again, and that one will fail.
            tasks.all().stream().filter(task -> task.state() != null).forEach(task -> task.openState()
                    .encodeAtOnce());
            return new Outcome.Never(reason);
        }
        if (!(failure instanceof TransientException)) {
            LOG.atError()
                    .setMessage("The delta could not be stored")
                    .addKeyValue("slot", slot)
                    .addKeyValue("epoch", epoch.number())
                    .setCause(failure)
                    .log();
        }
        return new Outcome.NotYet(reason);
    }

    private void checkInputs(SealedEpoch epoch, DomainState domain, Conditions conditions, Consumer<Outcome> outcome) {
        background.submit(
                "inputs",
                openings.checkInputs(epoch.tasks().get(0).task().processor(), domain),
                same -> {
                    conditions.inputsAreSame = true;
                    conditions.pass(outcome);
                },
                failure -> {
                    var reason = String.valueOf(failure.getMessage());
                    if (failure instanceof StoppedException) {
                        openings.failAll(failure);
                        outcome.accept(new Outcome.Never(reason));
                    } else {
                        outcome.accept(new Outcome.NotYet(reason));
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
}
