package dev.weir.benchmark.workload;

/** What a worker tells the driver, on lines of its own: a mark, a word, the time in milliseconds since the Unix epoch. */
public final class Signals {

    /** How each such line begins; the rest of what a worker prints is its log. */
    public static final String MARK = "@benchmark ";

    private static volatile boolean started;

    private Signals() {}

    /** Something that a worker can tell. */
    public enum Signal {
        /** The first record is about to be processed. */
        STARTED,
        /** Partitions are assigned to the worker. */
        ASSIGNED,
        /** A restore of state has begun. */
        RESTORING,
        /** All state is there, or all of one task. */
        RESTORED
    }

    /** Workers call this with every record; it tells when the first came. */
    public static void record() {
        if (!started) {
            started = true;
            tell(Signal.STARTED);
        }
    }

    /** Tells the driver. */
    public static void tell(Signal signal) {
        System.out.println(MARK + signal + " " + System.currentTimeMillis());
        System.out.flush();
    }
}
