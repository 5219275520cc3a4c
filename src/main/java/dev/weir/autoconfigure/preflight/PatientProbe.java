package dev.weir.autoconfigure.preflight;

import dev.weir.failure.TransientException;
import dev.weir.failure.WeirException;
import dev.weir.snapshot.ObjectStore;
import dev.weir.time.Clock;
import dev.weir.time.Pause;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the object store whether it can be used, and waits for one that is away for a moment: a pod may start in the middle of that. */
final class PatientProbe {

    private static final Logger log = LoggerFactory.getLogger(PatientProbe.class);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

    private final Clock clock;
    private final Pause pause;
    private final Duration patience;

    /** @param patience how long a store may fail in ways that pass */
    PatientProbe(Clock clock, Pause pause, Duration patience) {
        this.clock = clock;
        this.pause = pause;
        this.patience = patience;
    }

    /** Why it cannot be used; null if it can. */
    @Nullable
    String failure(ObjectStore store) {
        long until = clock.millis() + patience.toMillis();
        while (true) {
            try {
                store.probe();
                return null;
            } catch (TransientException e) {
                if (clock.millis() >= until || Thread.currentThread().isInterrupted()) {
                    return e.getMessage();
                }
                log.atWarn()
                        .addKeyValue("store", store.describe())
                        .addKeyValue("reason", e.getMessage())
                        .log("The object store is not usable yet; the start waits for it");
                pause.await(BETWEEN_TRIES);
            } catch (WeirException e) {
                return e.getMessage();
            }
        }
    }
}
