package dev.weir.torture;

import java.util.Map;
import java.util.TreeMap;

/** Counts, by name; may be used by several threads. */
final class Tally {

    private final TreeMap<String, Long> counts = new TreeMap<>();

    synchronized void add(String name, long more) {
        counts.merge(name, more, Long::sum);
    }

    synchronized void addAll(Tally other) {
        other.all().forEach(this::add);
    }

    synchronized long of(String name) {
        return counts.getOrDefault(name, 0L);
    }

    synchronized Map<String, Long> all() {
        return new TreeMap<>(counts);
    }

    /** The sum of all whose name begins so. */
    synchronized long sum(String prefix) {
        return counts.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(prefix))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
