package dev.weir.benchmark;

import dev.weir.benchmark.Scenario.Measure;
import dev.weir.benchmark.workload.Settings;
import java.util.Arrays;
import java.util.List;

/** The driver. Arguments, which may also stand in one text with spaces between: what to measure, then settings. */
public final class Benchmark {

    private Benchmark() {}

    /** Exit code 0 if every run was correct. */
    public static void main(String[] arguments) throws Exception {
        List<String> words = Arrays.stream(arguments)
                .flatMap(argument -> Arrays.stream(argument.trim().split("\\s+")))
                .toList();
        Settings settings =
                Settings.of(words.stream().filter(word -> word.contains("=")).toList());
        try (var stage = Stage.open(settings)) {
            for (var name : settings.list("impl", "bare,streams,flink,weir")) {
                var implementation = Implementation.of(name);
                try (var run = stage.run(settings, implementation)) {
                    CatchUp.measure(run);
                    System.out.println(run.result(new Scenario(Measure.CATCHUP, "x"), 1));
                }
            }
        }
    }
}
