package dev.weir.fault;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A point at which somebody else's thread waits until the test lets it go on. */
final class Barrier {

    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);

    /** Waits here until the test opens it; a minute at most, so that no thread stays behind. */
    void pass() {
        reached.countDown();
        try {
            if (!open.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError("Nobody opened the barrier");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether somebody has come here. */
    boolean isReached() {
        return reached.getCount() == 0;
    }

    /** Lets go on who waits, and who comes later. */
    void open() {
        open.countDown();
    }
}
