package dev.weir.fault;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What was done in torture, and how often it really happened. */
final class Tally {

    private final Map<String, Long> counts = new TreeMap<>();

    synchronized void add(String what, long number) {
        counts.merge(what, number, Long::sum);
    }

    void add(String what) {
        add(what, 1);
    }

    synchronized void max(String what, long value) {
        counts.merge(what, value, Math::max);
    }

    synchronized long get(String what) {
        return counts.getOrDefault(what, 0L);
    }

    synchronized void addAll(Tally other) {
        other.counts.forEach((what, number) -> {
            if (what.startsWith("slowest")) {
                max(what, number);
            } else {
                add(what, number);
            }
        });
    }

    synchronized String json() {
        return counts.entrySet().stream()
                .map(each -> "\"" + each.getKey() + "\": " + each.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
    }

    synchronized String table() {
        return counts.entrySet().stream()
                .map(each -> "| " + each.getKey() + " | " + each.getValue() + " |")
                .collect(Collectors.joining("\n", "| what | number |\n|---|---:|\n", "\n"));
    }
}
