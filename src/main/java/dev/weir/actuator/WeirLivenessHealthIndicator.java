package dev.weir.actuator;

import dev.weir.status.StatusSource;
import dev.weir.status.ThreadStatus;
import java.util.List;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Liveness: down only when every thread has failed, so that a restart has something to mend and takes nothing away. Restoring, waiting for
 * Kafka or the object store, and a single stopped processor beside others that run are no reason to restart.
 */
public final class WeirLivenessHealthIndicator extends AbstractHealthIndicator {

    private final StatusSource status;

    /** Of this status. */
    public WeirLivenessHealthIndicator(StatusSource status) {
        this.status = status;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        List<ThreadStatus> threads = status.threads();
        boolean dead =
                !threads.isEmpty() && threads.stream().allMatch(thread -> thread.phase() == ThreadStatus.Phase.FAILED);
        if (dead) {
            health.down();
            threads.forEach(thread -> health.withDetail(
                    thread.slot(), thread.failure() == null ? thread.phase().name() : thread.failure()));
        } else {
            health.up();
        }
    }
}
