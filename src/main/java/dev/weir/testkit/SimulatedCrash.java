package dev.weir.testkit;

/** Unwinds the stack of a process that was killed in the middle of something. An error, so that nobody handles it but the simulation. */
public final class SimulatedCrash extends Error {

    private static final long serialVersionUID = 1L;

    private final String process;

    SimulatedCrash(String process) {
        super("process " + process + " was killed", null, false, false);
        this.process = process;
    }

    /** The process that was killed. */
    public String process() {
        return process;
    }
}
