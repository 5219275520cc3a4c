package dev.weir.benchmark;

import dev.weir.benchmark.Scenario.Measure;
import java.util.List;
import java.util.Locale;

/**
 * A column of the report.
 *
 * @param title its head, with the unit
 * @param figure the figure that it shows
 * @param decimals places after the point
 */
record Column(String title, String figure, int decimals) {

    private static final List<Column> CATCHUP = List.of(
            new Column("records/s", "recordsPerSecond", 0),
            new Column("worker CPU, µs/record", "workerCpuMicros", 2),
            new Column("broker CPU, µs/record", "brokerCpuMicros", 2),
            new Column("output, MiB", "outMiB", 0),
            new Column("other topics, MiB", "otherTopicsMiB", 0),
            new Column("store, MiB", "storeMiB", 0),
            new Column("worker's writes to disk, MiB", "diskMiB", 0),
            new Column("peak memory, MiB", "peakMiB", 0),
            new Column("transactions/s", "commitsPerSecond", 1));

    private static final List<Column> LATENCY = List.of(
            new Column("p50, ms", "p50", 0),
            new Column("p90, ms", "p90", 0),
            new Column("p99, ms", "p99", 0),
            new Column("p99.9, ms", "p99.9", 0),
            new Column("max, ms", "max", 0),
            new Column("transactions/s", "commitsPerSecond", 1),
            new Column("worker CPU, µs/record", "workerCpuMicros", 2),
            new Column("broker CPU, µs/record", "brokerCpuMicros", 2),
            new Column("peak memory, MiB", "peakMiB", 0));

    private static final List<Column> RECOVERY = List.of(
            new Column("assigned to first output, ms", "assignedToFirstMillis", 0),
            new Column("assigned to all partitions, ms", "assignedToAllMillis", 0),
            new Column("assigned to restored, ms", "assignedToRestoredMillis", 0),
            new Column("launch to assigned, ms", "launchToAssignedMillis", 0),
            new Column("launch to first output, ms", "launchToFirstMillis", 0),
            new Column("launch to all partitions, ms", "launchToAllMillis", 0),
            new Column("local state, MiB", "localMiB", 0),
            new Column("store, MiB", "storeMiB", 0),
            new Column("changelog and other topics, MiB", "otherTopicsMiB", 0));

    private static final List<Column> CATCHUP_RATIOS = List.of(
            new Column("throughput", "recordsPerSecond", 2),
            new Column("worker CPU per record", "workerCpuMicros", 2),
            new Column("worker and broker CPU per record", "totalCpuMicros", 2));

    private static final List<Column> LATENCY_RATIOS = List.of(
            new Column("p50", "p50", 2),
            new Column("p99", "p99", 2),
            new Column("worker and broker CPU per record", "totalCpuMicros", 2));

    private static final List<Column> RECOVERY_RATIOS = List.of(
            new Column("assigned to first output", "assignedToFirstMillis", 2),
            new Column("assigned to all partitions", "assignedToAllMillis", 2),
            new Column("launch to all partitions", "launchToAllMillis", 2));

    /** Those that show a measurement. */
    static List<Column> of(Measure measure) {
        return switch (measure) {
            case CATCHUP -> CATCHUP;
            case LATENCY -> LATENCY;
            case RECOVERY -> RECOVERY;
        };
    }

    /** Those in which implementations are compared. */
    static List<Column> ratiosOf(Measure measure) {
        return switch (measure) {
            case CATCHUP -> CATCHUP_RATIOS;
            case LATENCY -> LATENCY_RATIOS;
            case RECOVERY -> RECOVERY_RATIOS;
        };
    }

    String show(Spread spread) {
        String number = "%,." + decimals + "f";
        return String.format(
                Locale.ROOT, number + " (" + number + "–" + number + ")", spread.median(), spread.min(), spread.max());
    }
}
