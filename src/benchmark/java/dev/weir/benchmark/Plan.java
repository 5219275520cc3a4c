package dev.weir.benchmark;

import dev.weir.benchmark.Scenario.Measure;
import dev.weir.benchmark.profile.Profiling;
import dev.weir.benchmark.workload.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What is to be measured, in order.
 *
 * @param steps one after the other
 */
record Plan(List<Step> steps) {

    private static final List<String> CATCHUP_DEFAULTS =
            List.of("n=8000000", "k=1000000", "dist=uniform", "impl=bare,streams,flink,weir");
    private static final List<String> LATENCY_DEFAULTS =
            List.of("rate=20000", "seconds=60", "warmup=20", "k=1000000", "impl=streams,flink,weir");
    private static final List<String> RECOVERY_DEFAULTS =
            List.of("k=5000000", "statebytes=100", "impl=streams,flink,weir");

    /**
     * One scenario.
     *
     * @param scenario what is measured
     * @param settings of driver and workers
     * @param implementations who is measured, in this order in each round
     * @param runs how many rounds
     */
    record Step(Scenario scenario, Settings settings, List<Implementation> implementations, int runs) {}

    /**
     * Of arguments: what to measure ({@code catchup}, {@code latency}, {@code recovery}, or {@code all}), then settings. A setting that
     * begins with the name of a measurement and a dot holds for it alone.
     */
    static Plan of(List<String> words, Settings given) {
        boolean all = words.isEmpty() || words.contains("all");
        if (Profiling.of(given).isOn()) {
            return new Plan(catchups(with(given, "impl", "weir").with("runs=1"), given.get("dist", "uniform"), 1));
        }
        List<Measure> measures = all
                ? Arrays.asList(Measure.values())
                : words.stream().map(Plan::measure).toList();
        int runs = given.number("runs", 1);
        List<Step> steps = new ArrayList<>();
        for (var measure : measures) {
            switch (measure) {
                case CATCHUP ->
                    steps.addAll(catchups(given, given.get("dist", all ? "uniform,zipf" : "uniform"), runs));
                case LATENCY -> steps.add(step(measure, given, LATENCY_DEFAULTS, runs));
                case RECOVERY -> steps.add(step(measure, given, RECOVERY_DEFAULTS, runs));
            }
        }
        return new Plan(steps);
    }

    private static Measure measure(String name) {
        return Arrays.stream(Measure.values())
                .filter(each -> each.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "Cannot measure '" + name + "': it must be all or of " + Arrays.toString(Measure.values())));
    }

    private static Settings with(Settings given, String name, String byDefault) {
        return given.with(name + "=" + given.get(name, byDefault));
    }

    private static List<Step> catchups(Settings given, String distributions, int runs) {
        return Arrays.stream(distributions.split(","))
                .map(each -> step(Measure.CATCHUP, given.with("dist=" + each), CATCHUP_DEFAULTS, runs))
                .toList();
    }

    private static Step step(Measure measure, Settings given, List<String> defaults, int runs) {
        List<String> all = new ArrayList<>(defaults);
        given.values().forEach((name, value) -> {
            if (Arrays.stream(Measure.values()).noneMatch(any -> name.startsWith(any + "."))) {
                all.add(name + "=" + value);
            }
        });
        given.below(measure + ".").forEach((name, value) -> all.add(name + "=" + value));
        if (measure != Measure.CATCHUP) {
            all.removeIf(each -> each.startsWith("n=") || each.startsWith("dist="));
        }
        var settings = Settings.of(all);
        var implementations =
                settings.list("impl", "").stream().map(Implementation::of).toList();
        implementations.stream()
                .filter(each -> measure == Measure.RECOVERY && !each.recovers())
                .findFirst()
                .ifPresent(each -> {
                    throw new IllegalArgumentException(
                            "Cannot measure how " + each + " recovers: its state is lost with it");
                });
        return new Step(Scenario.of(measure, settings), settings, implementations, settings.number("runs", runs));
    }
}
