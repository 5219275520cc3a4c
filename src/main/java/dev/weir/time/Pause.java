package dev.weir.time;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits on the calling thread, for the short back-off between tries of something that blocks anyway. */
@FunctionalInterface
public interface Pause {

    /** Waits for about the given time; returns early, leaving the flag set, when the thread is interrupted. */
    void await(Duration time);

    /** Really waits. */
    static Pause real() {
        return time -> LockSupport.parkNanos(time.toNanos());
    }
}
