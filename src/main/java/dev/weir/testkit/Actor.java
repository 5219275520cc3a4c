package dev.weir.testkit;

/** Something that a simulation moves on step by step: a worker thread, a coordinator. */
public interface Actor {

    /** Unique in the simulation; for the trace. */
    String name();

    /** Whether a step would make sense now. */
    boolean isRunnable();

    /** Does a bounded piece of work. May block only in {@link dev.weir.time.Background#await}. */
    void step();
}
