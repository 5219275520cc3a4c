package dev.weir.time;

/** Where the time comes from. The system's clock in production; a hand-moved one in tests and simulations. */
public interface Clock {

    /** Milliseconds since the Unix epoch; may jump when the machine's clock is set. For display and manifests. */
    long wallMillis();

    /** Nanoseconds of a monotonic clock with an arbitrary origin. For durations, timeouts and deadlines. */
    long nanos();

    /** Milliseconds of the same monotonic clock as {@link #nanos()}. */
    default long millis() {
        return Math.floorDiv(nanos(), 1_000_000L);
    }

    /** The clock of the machine. */
    static Clock system() {
        return SystemClock.INSTANCE;
    }
}
