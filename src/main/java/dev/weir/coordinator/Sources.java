package dev.weir.coordinator;

import dev.weir.coordinator.CoordinatorSettings.SourceTopic;
import dev.weir.topology.TopicPartition;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** What a leader knows of the source topics. It lists a partition as soon as it exists; whether a processor can take it is not its matter. */
final class Sources {

    private static final long FRESH_MILLIS = 30_000;

    private final List<SourceTopic> topics;
    private Map<String, Integer> partitions = Map.of();
    private boolean describing;
    private long freshUntilMillis = Long.MIN_VALUE;
    private long notBeforeMillis = Long.MIN_VALUE;
    private List<String> missing = List.of();

    Sources(List<SourceTopic> topics) {
        this.topics = topics;
    }

    /** Whether all source topics are known and were looked up a short time ago. */
    boolean areFresh(long nowMillis) {
        return nowMillis < freshUntilMillis;
    }

    void describeIfNeeded(long nowMillis, List<Decision> out) {
        if (!describing && nowMillis >= notBeforeMillis) {
            describing = true;
            out.add(new Decision.DescribeSources());
        }
    }

    void described(Map<String, Integer> found, long nowMillis, List<Decision> out) {
        describing = false;
        for (var topic : found.entrySet()) {
            int before = partitions.getOrDefault(topic.getKey(), topic.getValue());
            if (before != topic.getValue()) {
                out.add(new Decision.Tell(new Notice.SourceChanged(topic.getKey(), before, topic.getValue())));
            }
        }
        partitions = Map.copyOf(found);
        var absent = topics.stream()
                .map(SourceTopic::topic)
                .filter(topic -> found.getOrDefault(topic, 0) < 1)
                .toList();
        if (absent.isEmpty()) {
            freshUntilMillis = nowMillis + FRESH_MILLIS;
        } else {
            notBeforeMillis = nowMillis + Leader.RETRY_MILLIS;
            if (!absent.equals(missing)) {
                out.add(new Decision.Tell(new Notice.SourcesMissing(absent)));
            }
        }
        missing = absent;
    }

    void unknown(long againAtMillis) {
        describing = false;
        notBeforeMillis = againAtMillis;
    }

    /** All partitions of all source topics. */
    Set<TopicPartition> partitions() {
        var all = new HashSet<TopicPartition>();
        for (var topic : topics) {
            IntStream.range(0, partitions.getOrDefault(topic.topic(), 0))
                    .forEach(number -> all.add(new TopicPartition(topic.topic(), number)));
        }
        return Set.copyOf(all);
    }
}
