package dev.weir.fault;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that does one step after the other, and can be held between two of them. */
final class Loop {

    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);

    private final Thread thread;
    private final Runnable step;
    private final BooleanSupplier goesOn;
    private final Runnable end;
    private final Semaphore turn = new Semaphore(1, true);
    private volatile boolean held;
    private volatile @Nullable Throwable failure;

    /** Steps for as long as it is to go on, then does what there is to do at the end. */
    Loop(String name, BooleanSupplier goesOn, Runnable step, Runnable end) {
        this.goesOn = goesOn;
        this.step = step;
        this.end = end;
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (goesOn.getAsBoolean()) {
                turn.acquire();
                try {
                    if (goesOn.getAsBoolean()) {
                        step.run();
                    }
                } finally {
                    turn.release();
                }
            }
            end.run();
        } catch (Died killed) {
            // As it should be.
        } catch (Throwable e) {
            failure = e;
            LOG.atError()
                    .setMessage("A part of a service ended")
                    .addKeyValue("part", thread.getName())
                    .setCause(e)
                    .log();
        }
    }

    /** Returns when no step is being done; the next is done by {@link #step} or after {@link #release}. */
    void hold() {
        if (held) {
            return;
        }
        try {
            if (!turn.tryAcquire(30, TimeUnit.SECONDS)) {
                throw new AssertionError(thread.getName() + " cannot be held: a step of it does not end");
            }
            held = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    void release() {
        if (held) {
            held = false;
            turn.release();
        }
    }

    /** Does one step on the calling thread; it must be held. */
    void step() {
        if (!held) {
            throw new IllegalStateException(thread.getName() + " is not held");
        }
        step.run();
    }

    /** Waits for its end, which others must have caused. */
    void join(Duration atMost) {
        try {
            if (thread.isAlive()) {
                thread.join(atMost.toMillis());
            }
            if (thread.isAlive()) {
                throw new AssertionError(thread.getName() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** What ended it, if that was not its owner. */
    @Nullable
    Throwable failure() {
        return failure;
    }
}
