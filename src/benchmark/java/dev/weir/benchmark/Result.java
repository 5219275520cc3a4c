package dev.weir.benchmark;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one run of one worker showed.
 *
 * @param scenario what was measured
 * @param implementation who did the work
 * @param round in which round of the scenario, from 1
 * @param figures by name
 * @param threads the busiest threads of the worker, in CPU seconds
 * @param faults what was wrong with it; empty if nothing was
 */
record Result(
        Scenario scenario,
        Implementation implementation,
        int round,
        Map<String, Double> figures,
        Map<String, Double> threads,
        List<String> faults) {

    boolean isCorrect() {
        return faults.isEmpty();
    }

    /** A figure, or null if it was not taken. */
    @Nullable
    Double figure(String name) {
        if (name.equals("totalCpuMicros")) {
            Double worker = figures.get("workerCpuMicros");
            Double broker = figures.get("brokerCpuMicros");
            return worker == null || broker == null ? null : worker + broker;
        }
        return figures.get(name);
    }
}
