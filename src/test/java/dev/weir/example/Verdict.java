package dev.weir.example;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Judges a log of committed totals: each airport's are complete, in order and without repetition, and the last ones are right. */
final class Verdict {

    private final Map<String, Totals> answers;
    private final Map<String, Totals> last = new TreeMap<>();
    private final List<String> faults = new ArrayList<>();
    private long records;

    Verdict(Map<String, Totals> answers) {
        this.answers = answers;
    }

    /** The next committed record of the log. */
    void add(String airport, Totals totals) {
        records++;
        long before = last.getOrDefault(airport, Totals.EMPTY).departures();
        if (totals.departures() <= before) {
            faults.add(airport + ": departure " + totals.departures() + " comes again after " + before);
        } else if (totals.departures() != before + 1) {
            faults.add(airport + ": departures " + (before + 1) + " to " + (totals.departures() - 1) + " are missing");
        }
        last.put(airport, totals);
    }

    long records() {
        return records;
    }

    long expectedRecords() {
        return answers.values().stream().mapToLong(Totals::departures).sum();
    }

    /** Everything that is wrong at the end. */
    List<String> faults() {
        var all = new ArrayList<>(faults);
        var missing = new HashMap<>(answers);
        missing.keySet().removeAll(last.keySet());
        missing.keySet().forEach(airport -> all.add(airport + ": nothing was committed"));
        last.forEach((airport, totals) -> {
            Totals right = answers.get(airport);
            if (right == null) {
                all.add(airport + ": there is no such airport");
            } else if (!right.equals(totals)) {
                all.add(airport + ": " + totals + " should be " + right);
            }
        });
        return all;
    }

    /** A table for people. */
    String table() {
        List<String> all = faults();
        long rightAirports = answers.entrySet().stream()
                .filter(answer -> answer.getValue().equals(last.get(answer.getKey())))
                .count();
        var lines = new ArrayList<String>();
        lines.add(String.format("  flights committed       %,8d of %,d", records, expectedRecords()));
        lines.add(String.format("  airports with the right totals  %d of %d", rightAirports, answers.size()));
        lines.add(String.format("  lost, repeated or reordered     %d", faults.size()));
        all.stream().limit(10).forEach(fault -> lines.add("    " + fault));
        if (all.size() > 10) {
            lines.add("    and " + (all.size() - 10) + " more");
        }
        lines.add(all.isEmpty() ? "  RIGHT: every flight counts exactly once" : "  WRONG");
        return String.join(System.lineSeparator(), lines);
    }
}
