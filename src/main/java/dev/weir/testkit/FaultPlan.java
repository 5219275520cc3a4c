package dev.weir.testkit;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * What goes wrong in a simulation, and how often.
 *
 * @param probabilities of each fault, from 0 to 1; a fault that is not named never happens
 * @param longestFreeze for how long a process is frozen at most
 */
public record FaultPlan(Map<Fault, Double> probabilities, Duration longestFreeze) {

    /** A fault. Its probability is that of one occasion. */
    public enum Fault {
        /** A process is killed; occasion: a step of the simulation. */
        CRASH,
        /** A process stands still, its heartbeats too, and goes on later; occasion: a step of the simulation. */
        FREEZE,
        /** A killed process starts again; occasion: a step of the simulation while it is down. */
        RESTART,
        /** A process is killed in the middle of a call to Kafka or the store; occasion: a point between two effects. */
        CRASH_AT_EFFECT,
        /** A process stands still in the middle of a call while the others go on; occasion: a point between two effects. */
        STALL_AT_EFFECT,
        /** A commit takes effect, at once or later, or not at all, and its caller is told that it is not known. */
        LOST_COMMIT_REPLY,
        /** A flush, or an append to the control topic, takes effect in whole or in part, and its caller is told that it failed. */
        LOST_APPEND_REPLY,
        /** Some of a checkpoint's markers are written, now or later, and the caller is told that it failed. */
        PARTIAL_MARKERS,
        /** A broker refuses for now, without effect; occasion: a call. */
        BROKER_REFUSES,
        /** The object store fails without effect; occasion: a call. */
        STORE_FAILS_BEFORE,
        /** The object store does what is asked and then fails; occasion: a call. */
        STORE_FAILS_AFTER
    }

    /** Copies the map. */
    public FaultPlan {
        var copy = new EnumMap<Fault, Double>(Fault.class);
        copy.putAll(probabilities);
        probabilities = Collections.unmodifiableMap(copy);
    }

    /** Nothing goes wrong. */
    public static FaultPlan none() {
        return new FaultPlan(Map.of(), Duration.ZERO);
    }

    /** A bad day: every fault several times in a few thousand steps. */
    public static FaultPlan rough() {
        return none().with(Fault.CRASH, 0.002)
                .with(Fault.FREEZE, 0.001)
                .with(Fault.RESTART, 0.01)
                .with(Fault.CRASH_AT_EFFECT, 0.002)
                .with(Fault.STALL_AT_EFFECT, 0.004)
                .with(Fault.LOST_COMMIT_REPLY, 0.05)
                .with(Fault.LOST_APPEND_REPLY, 0.02)
                .with(Fault.PARTIAL_MARKERS, 0.1)
                .with(Fault.BROKER_REFUSES, 0.02)
                .with(Fault.STORE_FAILS_BEFORE, 0.02)
                .with(Fault.STORE_FAILS_AFTER, 0.02)
                .withLongestFreeze(Duration.ofSeconds(30));
    }

    /** This plan with another probability of one fault. */
    public FaultPlan with(Fault fault, double probability) {
        if (!(probability >= 0 && probability <= 1)) {
            throw new IllegalArgumentException(
                    "Cannot plan " + fault + ": its probability is " + probability + ", choose one from 0 to 1");
        }
        var more = new EnumMap<Fault, Double>(Fault.class);
        more.putAll(probabilities);
        more.put(fault, probability);
        return new FaultPlan(more, longestFreeze);
    }

    /** This plan with another longest freeze. */
    public FaultPlan withLongestFreeze(Duration longest) {
        return new FaultPlan(probabilities, longest);
    }

    double of(Fault fault) {
        Double probability = probabilities.get(fault);
        return probability == null ? 0 : probability;
    }
}
