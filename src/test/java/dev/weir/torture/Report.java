package dev.weir.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/** How a campaign went, for people and for programs. */
final class Report {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private Report() {}

    /** One line a seed in {@code results.jsonl}, all together in {@code report.md}. */
    static void write(Path folder, List<SeedRun.Result> results) throws IOException {
        Files.writeString(
                folder.resolve("results.jsonl"),
                results.stream().map(Report::json).collect(Collectors.joining("\n", "", "\n")));
        Files.writeString(folder.resolve("report.md"), table(results));
    }

    private static String json(SeedRun.Result result) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("plan", result.plan().name());
        fields.put("seconds", result.seconds());
        fields.put("violations", result.violations());
        fields.put("counts", result.tally().all());
        return JSON.writeValueAsString(fields);
    }

    static String line(SeedRun.Result result) {
        return String.format(
                Locale.ROOT,
                "%s: %.0f s, %d violations, %s",
                result.plan().name(),
                result.seconds(),
                result.violations().size(),
                result.tally().all());
    }

    static String violation(SeedRun.Result result, Path folder) {
        return result.plan().name() + " VIOLATES\n  " + String.join("\n  ", result.violations())
                + "\nReplay: ./mvnw verify -Ptorture " + replay(result.plan()) + "\nLogs: " + folder
                + "\nWhat was done, and when (s):\n" + String.join("\n", result.chronicle());
    }

    private static String replay(Plan plan) {
        return plan.name().startsWith("seed-") ? "-Dtorture.seed=" + plan.seed() : "-Dtorture.scenario=" + plan.name();
    }

    static String table(List<SeedRun.Result> results) {
        var total = new Tally();
        results.forEach(result -> total.addAll(result.tally()));
        var violations =
                results.stream().mapToLong(result -> result.violations().size()).sum();
        var text = new StringBuilder("# Torture\n\n| | |\n|---|---:|\n");
        row(text, "seeds and scenarios", Long.toString(results.size()));
        row(text, "violations", Long.toString(violations));
        total.all().forEach((name, count) -> {
            if (!name.endsWith(" ms")) {
                row(text, name, Long.toString(count));
            }
        });
        row(text, "kills at named points, all", Long.toString(namedKills(total)));
        row(text, "lost commits, all", Long.toString(total.sum("lost commits: ")));
        row(text, "store faults, all", Long.toString(total.sum("store: ")));
        row(text, "longest time without an output in a partition", slowest(results, "slowest recovery ms"));
        row(text, "longest time from the end of the faults to quiet", slowest(results, "quiet after ms"));
        text.append("\n| plan | s | records | violations |\n|---|---:|---:|---|\n");
        results.forEach(result -> text.append(String.format(
                Locale.ROOT,
                "| %s | %.0f | %d | %s |%n",
                result.plan().name(),
                result.seconds(),
                result.tally().of("records"),
                result.violations().isEmpty() ? "none" : String.join("<br>", result.violations()))));
        return text.toString();
    }

    private static long namedKills(Tally total) {
        return total.sum("kill: ") - total.of("kill: random");
    }

    private static String slowest(List<SeedRun.Result> results, String name) {
        return results.stream()
                        .mapToLong(result -> result.tally().of(name))
                        .max()
                        .orElse(0) + " ms";
    }

    private static void row(StringBuilder text, String name, String value) {
        text.append("| ").append(name).append(" | ").append(value).append(" |\n");
    }
}
