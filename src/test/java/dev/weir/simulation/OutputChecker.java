package dev.weir.simulation;

import dev.weir.simulation.Workload.Total;
import dev.weir.testkit.InMemoryKafka.StoredRecord;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Compares the visible outputs with the oracle (I1, I3) and with the committed positions (I9): for each input partition and key, in the
 * order of the output log, exactly the running totals of the records below the position.
 */
final class OutputChecker {

    private final Oracle oracle;

    OutputChecker(Oracle oracle) {
        this.oracle = oracle;
    }

    /**
     * @param positions the committed position of each input partition; an absent one counts as 0
     * @param outputs what is visible in the output topic, each output partition in its order
     */
    void check(Map<Integer, Long> positions, List<List<StoredRecord>> outputs) {
        Map<String, List<Total>> seen = byPartitionAndKey(outputs.stream()
                .flatMap(List::stream)
                .filter(record -> record.marker() == null)
                .map(record -> Total.parse(Objects.requireNonNull(record.value())))
                .toList());
        List<Total> wanted = new ArrayList<>();
        for (int partition : oracle.partitions()) {
            wanted.addAll(oracle.outputs(partition, positions.getOrDefault(partition, 0L)));
        }
        var expected = byPartitionAndKey(wanted);
        var all = new TreeMap<String, List<Total>>(expected);
        all.putAll(seen);
        for (String channel : all.keySet()) {
            compare(
                    channel,
                    expected.getOrDefault(channel, List.of()).iterator(),
                    seen.getOrDefault(channel, List.of()).iterator());
        }
    }

    private static void compare(String channel, Iterator<Total> expected, Iterator<Total> seen) {
        Total before = null;
        while (expected.hasNext() && seen.hasNext()) {
            var want = expected.next();
            var got = seen.next();
            if (!want.equals(got)) {
                throw new AssertionError("Outputs of " + channel + " differ after " + before + ": expected " + want
                        + ", but the log has " + got);
            }
            before = got;
        }
        if (expected.hasNext()) {
            throw new AssertionError("Outputs of " + channel + " end too early after " + before + ": " + expected.next()
                    + " is missing though the position behind it is committed");
        }
        if (seen.hasNext()) {
            throw new AssertionError("Outputs of " + channel + " go on after " + before + ": " + seen.next()
                    + " is there twice, or its position is not committed");
        }
    }

    private static Map<String, List<Total>> byPartitionAndKey(List<Total> totals) {
        Map<String, List<Total>> map = new LinkedHashMap<>();
        for (var total : totals) {
            map.computeIfAbsent(total.partition() + "/" + total.key(), c -> new ArrayList<>())
                    .add(total);
        }
        return map;
    }
}
