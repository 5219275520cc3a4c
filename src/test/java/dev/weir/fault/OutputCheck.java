package dev.weir.fault;

import dev.weir.fault.Sequence.Total;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Compares the visible outputs with what must come of the input up to the committed positions (I1, I9), key by key in their order (I3):
 * nothing missing, nothing twice, nothing swapped, nothing else.
 */
final class OutputCheck {

    private OutputCheck() {}

    /**
     * @param positions the committed position of each input partition; an absent one counts as 0
     * @param outputs what is visible, each output partition in its order
     */
    static void check(Sequence sequence, Map<Integer, Long> positions, List<List<Total>> outputs) {
        var seen = byChannel(outputs.stream().flatMap(List::stream).toList());
        var all = new ArrayList<Total>();
        for (int partition : sequence.partitions()) {
            all.addAll(sequence.totals(partition, positions.getOrDefault(partition, 0L)));
        }
        var wanted = byChannel(all);
        var channels = new TreeSet<>(wanted.keySet());
        channels.addAll(seen.keySet());
        for (var channel : channels) {
            compare(channel, wanted.getOrDefault(channel, List.of()), seen.getOrDefault(channel, List.of()));
        }
    }

    private static void compare(String channel, List<Total> wanted, List<Total> seen) {
        int both = Math.min(wanted.size(), seen.size());
        for (int i = 0; i < both; i++) {
            if (!wanted.get(i).equals(seen.get(i))) {
                throw new AssertionError("Output " + i + " of " + channel + " is " + seen.get(i) + ", expected "
                        + wanted.get(i) + (seen.subList(0, i).contains(seen.get(i)) ? "; it was there before" : ""));
            }
        }
        if (wanted.size() > both) {
            throw new AssertionError("Outputs of " + channel + " end too early: " + wanted.get(both)
                    + " is missing though the position behind it is committed");
        }
        if (seen.size() > both) {
            throw new AssertionError("Outputs of " + channel + " go on with " + seen.get(both)
                    + ", which is there twice or whose position is not committed");
        }
    }

    private static Map<String, List<Total>> byChannel(List<Total> totals) {
        var map = new LinkedHashMap<String, List<Total>>();
        totals.forEach(total ->
                map.computeIfAbsent(total.channel(), c -> new ArrayList<>()).add(total));
        return map;
    }
}
