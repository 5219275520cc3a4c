package dev.weir.coordinator;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a {@link Coordinator} on a thread of its own. */
public final class CoordinatorLoop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(CoordinatorLoop.class);
    private static final Duration STEP = Duration.ofMillis(50);

    private final Coordinator coordinator;
    private final Thread thread;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    /** A loop that has not been started. */
    public CoordinatorLoop(String domain, Coordinator coordinator) {
        this.coordinator = coordinator;
        this.thread = new Thread(this::run, "weir-coordinator-" + domain);
        this.thread.setDaemon(true);
    }

    /** Starts the thread. */
    public void start() {
        thread.start();
    }

    /** Why it ended by itself, or null. Then this process takes no part in the coordination; another one may lead. */
    public @Nullable Throwable failure() {
        return failure;
    }

    private void run() {
        try (coordinator) {
            while (!stopping) {
                coordinator.step(STEP);
            }
        } catch (RuntimeException e) {
            failure = e;
            log.atError().setCause(e).log("Coordination has failed in this process and is not tried again");
        }
    }

    /** Ends the thread, gives leadership up and waits until all is closed. */
    @Override
    public void close() {
        stopping = true;
        if (thread.getState() == Thread.State.NEW) {
            coordinator.close();
            return;
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
