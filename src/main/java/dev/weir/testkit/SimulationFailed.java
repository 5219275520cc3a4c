package dev.weir.testkit;

/** An actor, a job or a check failed during a simulation. The message names the seed and the last events. */
public final class SimulationFailed extends Error {

    private static final long serialVersionUID = 1L;

    SimulationFailed(String message, Throwable cause) {
        super(message, cause);
    }
}
