package dev.weir.benchmark;

import dev.weir.benchmark.workload.Settings;
import java.util.List;
import java.util.Locale;

/**
 * What is measured, by all implementations alike.
 *
 * @param measure the kind of measurement
 * @param description what else decides on it, for a reader
 */
record Scenario(Measure measure, String description) {

    /** The kinds of measurement. */
    enum Measure {
        /** A full input is worked through. */
        CATCHUP,
        /** Records come at a fixed rate. */
        LATENCY,
        /** A worker and its disk are lost. */
        RECOVERY;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        String title() {
            return switch (this) {
                case CATCHUP -> "Catching up";
                case LATENCY -> "Latency";
                case RECOVERY -> "Recovery of a lost worker";
            };
        }
    }

    private static final List<String> TOLD = List.of(
            "n",
            "k",
            "dist",
            "visible",
            "rate",
            "seconds",
            "warmup",
            "statebytes",
            "impl",
            "runs",
            "target",
            "profile");

    /** That which the settings ask for. */
    static Scenario of(Measure measure, Settings settings) {
        String keys = String.format(
                Locale.ROOT,
                "%,d keys, states of %d bytes, output visible every %d ms",
                settings.number("k", 0),
                settings.number("statebytes", 24),
                settings.number("visible", 1000));
        String what =
                switch (measure) {
                    case CATCHUP ->
                        String.format(
                                Locale.ROOT,
                                "%,d records, %s keys of %s",
                                settings.number("n", 0),
                                settings.get("dist"),
                                keys);
                    case LATENCY ->
                        String.format(
                                Locale.ROOT,
                                "%,d records a second for %d s after %d s of warming up, uniform keys of %s",
                                settings.number("rate", 0),
                                settings.number("seconds", 0),
                                settings.number("warmup", 0),
                                keys);
                    case RECOVERY -> keys;
                };
        var others = settings.values().entrySet().stream()
                .filter(each -> !TOLD.contains(each.getKey()))
                .map(each -> ", " + each.getKey() + "=" + each.getValue())
                .toList();
        return new Scenario(measure, what + String.join("", others));
    }
}
