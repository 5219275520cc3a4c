package dev.weir.benchmark;

import dev.weir.benchmark.Plan.Step;
import dev.weir.benchmark.workload.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/**
 * The driver. Arguments, which may also stand in one text with spaces between: what to measure, then settings. It leaves
 * {@code results.jsonl} and {@code report.md} where the build has put everything else, the setting {@code target}.
 */
public final class Benchmark {

    private final Path target;
    private final JsonMapper mapper = JsonMapper.builder().build();
    private final List<Result> results = new ArrayList<>();

    private Benchmark(Path target) {
        this.target = target;
    }

    /** Ends with exit code 0 if every output of every run was right. */
    public static void main(String[] arguments) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(Benchmark::endAll, "end"));
        Map<Boolean, List<String>> words = Arrays.stream(arguments)
                .flatMap(argument -> Arrays.stream(argument.trim().split("\\s+")))
                .collect(Collectors.partitioningBy(word -> word.contains("=")));
        var settings = Settings.of(words.getOrDefault(true, List.of()));
        Plan plan;
        try {
            plan = Plan.of(words.getOrDefault(false, List.of()), settings);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        var benchmark = new Benchmark(Path.of(settings.get("target")).toAbsolutePath());
        System.exit(benchmark.carryOut(plan, settings) ? 0 : 1);
    }

    private static void endAll() {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    }

    private boolean carryOut(Plan plan, Settings settings) throws Exception {
        List<String> machine = Machine.describe(target, String.join(" ", JavaProcess.workerOptions(settings)));
        Files.deleteIfExists(target.resolve("results.jsonl"));
        try (var stage = Stage.open(settings)) {
            for (var step : plan.steps()) {
                say(
                        "%n%s: %s",
                        step.scenario().measure().title(), step.scenario().description());
                for (int round = 1; round <= step.runs(); round++) {
                    for (var implementation : step.implementations()) {
                        add(measure(stage, step, implementation, round));
                        Files.writeString(target.resolve("report.md"), new Report(machine, results).markdown());
                    }
                }
            }
        }
        var report = new Report(machine, results);
        say("%n%s", report.markdown());
        return report.isCorrect();
    }

    /** Measures once; what goes wrong becomes a fault of the run. */
    private static Result measure(Stage stage, Step step, Implementation implementation, int round) throws Exception {
        try (var run = stage.run(step.settings(), implementation)) {
            try {
                switch (step.scenario().measure()) {
                    case CATCHUP -> CatchUp.measure(run);
                    case LATENCY -> Latency.measure(run);
                    case RECOVERY -> Recovery.measure(run);
                }
            } catch (IOException | RuntimeException e) {
                run.fault(String.valueOf(e.getMessage()));
            }
            return run.result(step.scenario(), round);
        }
    }

    private void add(Result result) throws IOException {
        results.add(result);
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("measure", result.scenario().measure().toString());
        line.put("scenario", result.scenario().description());
        line.put("implementation", result.implementation().toString());
        line.put("round", result.round());
        line.put("correct", result.isCorrect());
        line.put("faults", result.faults());
        line.put("figures", new TreeMap<>(result.figures()));
        line.put("threads", result.threads());
        Files.writeString(
                target.resolve("results.jsonl"),
                mapper.writeValueAsString(line) + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        say(
                "  round %d, %-18s %s%s",
                result.round(),
                result.implementation().title() + ":",
                Column.of(result.scenario().measure()).stream()
                        .filter(column -> result.figure(column.figure()) != null)
                        .map(column -> String.format(
                                Locale.ROOT,
                                "%s %,." + column.decimals() + "f",
                                column.title(),
                                result.figure(column.figure())))
                        .collect(Collectors.joining("; ")),
                result.isCorrect() ? "" : "  WRONG: " + String.join("; ", result.faults()));
    }

    private static void say(String format, Object... values) {
        System.out.printf(Locale.ROOT, format + "%n", values);
    }
}
