package dev.weir.benchmark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All results, for a reader, in Markdown: of each scenario the figures as medians with the least and the greatest, then Weir's in
 * proportion to the others'. Runs with a fault are named and count for nothing else.
 *
 * @param machine what it was measured on, a line each
 * @param results of all runs, in their order
 */
record Report(List<String> machine, List<Result> results) {

    String markdown() {
        List<String> lines = new ArrayList<>();
        lines.add("# Benchmark");
        lines.add("");
        machine.forEach(line -> lines.add("- " + line));
        lines.add("");
        lines.add("Each cell: median (least–greatest) of the runs.");
        results.stream().map(Result::scenario).distinct().forEach(scenario -> lines.addAll(scenario(scenario)));
        lines.addAll(wrong());
        return String.join("\n", lines) + "\n";
    }

    /** Whether every run was right, and there was one. */
    boolean isCorrect() {
        return !results.isEmpty() && results.stream().allMatch(Result::isCorrect);
    }

    private List<String> scenario(Scenario scenario) {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add("## " + scenario.measure().title() + ": " + scenario.description());
        lines.add("");
        List<Column> columns = Column.of(scenario.measure());
        row(lines, Stream.concat(Stream.of("", "runs"), columns.stream().map(Column::title)));
        row(lines, Stream.concat(Stream.of("---", "---"), columns.stream().map(any -> "---:")));
        for (var implementation : implementations(scenario)) {
            List<Result> right = right(scenario, implementation);
            long wrong = all(scenario, implementation).count() - right.size();
            row(
                    lines,
                    Stream.concat(
                            Stream.of(
                                    implementation.title(), right.size() + (wrong > 0 ? ", " + wrong + " WRONG" : "")),
                            columns.stream().map(column -> cell(column, right))));
        }
        lines.addAll(ratios(scenario));
        return lines;
    }

    private List<String> ratios(Scenario scenario) {
        List<String> lines = new ArrayList<>();
        List<Column> columns = Column.ratiosOf(scenario.measure());
        for (var other : implementations(scenario)) {
            if (other == Implementation.WEIR || !implementations(scenario).contains(Implementation.WEIR)) {
                continue;
            }
            if (lines.isEmpty()) {
                lines.add("");
                row(
                        lines,
                        Stream.concat(Stream.of("proportion"), columns.stream().map(Column::title)));
                row(lines, Stream.concat(Stream.of("---"), columns.stream().map(any -> "---:")));
            }
            row(
                    lines,
                    Stream.concat(
                            Stream.of("Weir / " + other.title()),
                            columns.stream().map(column -> {
                                Spread ratio = ratio(scenario, other, column.figure());
                                return ratio == null ? "–" : column.show(ratio);
                            })));
        }
        return lines;
    }

    /** Weir's median by another's; least and greatest are those of single rounds. Null if there is none. */
    @Nullable
    Spread ratio(Scenario scenario, Implementation other, String figure) {
        List<Result> ours = right(scenario, Implementation.WEIR);
        List<Result> theirs = right(scenario, other);
        List<Double> rounds = ours.stream()
                .flatMap(our -> theirs.stream()
                        .filter(their -> their.round() == our.round())
                        .map(their -> quotient(our.figure(figure), their.figure(figure))))
                .filter(Objects::nonNull)
                .toList();
        Double medians = quotient(median(ours, figure), median(theirs, figure));
        if (rounds.isEmpty() || medians == null) {
            return null;
        }
        var spread = Spread.of(rounds);
        return new Spread(medians, spread.min(), spread.max());
    }

    private static @Nullable Double quotient(@Nullable Double one, @Nullable Double other) {
        return one == null || other == null || other == 0 ? null : one / other;
    }

    private static @Nullable Double median(List<Result> results, String figure) {
        List<Double> values = values(results, figure);
        return values.isEmpty() ? null : Spread.of(values).median();
    }

    private static String cell(Column column, List<Result> results) {
        List<Double> values = values(results, column.figure());
        return values.isEmpty() ? "–" : column.show(Spread.of(values));
    }

    private static List<Double> values(List<Result> results, String figure) {
        return results.stream()
                .map(result -> result.figure(figure))
                .filter(Objects::nonNull)
                .toList();
    }

    private List<String> wrong() {
        List<String> lines = new ArrayList<>();
        for (var result : results) {
            if (!result.isCorrect()) {
                if (lines.isEmpty()) {
                    lines.add("");
                    lines.add("## WRONG");
                    lines.add("");
                }
                lines.add("- " + result.scenario().measure() + ", "
                        + result.implementation().title() + ", round " + result.round() + ": "
                        + result.faults().stream().map(Report::firstLine).collect(Collectors.joining("; ")));
            }
        }
        return lines;
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    private Stream<Result> all(Scenario scenario, Implementation implementation) {
        return results.stream()
                .filter(result -> result.scenario().equals(scenario) && result.implementation() == implementation);
    }

    private List<Result> right(Scenario scenario, Implementation implementation) {
        return all(scenario, implementation).filter(Result::isCorrect).toList();
    }

    private List<Implementation> implementations(Scenario scenario) {
        Map<Implementation, List<Result>> present = results.stream()
                .filter(result -> result.scenario().equals(scenario))
                .collect(Collectors.groupingBy(Result::implementation));
        return Arrays.stream(Implementation.values())
                .filter(present::containsKey)
                .toList();
    }

    private static void row(List<String> lines, Stream<String> cells) {
        lines.add(cells.collect(Collectors.joining(" | ", "| ", " |")));
    }
}
