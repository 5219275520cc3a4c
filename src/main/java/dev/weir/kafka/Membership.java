package dev.weir.kafka;

import dev.weir.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** What a source's assignor and its rebalance callbacks learn of the rebalance. Used by the polling thread only. */
final class Membership {

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final List<String> topics;
    private final List<Integer> ownedHint;
    private final Clock clock;
    private boolean joining;
    private boolean mustRejoin;
    private boolean incomplete;
    private long assignedAt;

    Membership(List<String> topics, Set<Integer> ownedHint, Clock clock) {
        this.topics = topics;
        this.ownedHint = ownedHint.stream().sorted().toList();
        this.clock = clock;
    }

    /** A request to join is about to be sent; what is on disk goes with it. */
    List<Integer> joining() {
        joining = true;
        mustRejoin = false;
        incomplete = false;
        return ownedHint;
    }

    /** An assignment has come. */
    void joined(Collection<TopicPartition> partitions, boolean withheld) {
        joining = false;
        incomplete = withheld || !isCoPartitioned(partitions);
        assignedAt = clock.millis();
    }

    /** Partitions have been revoked while the member stays: the client joins again, so that others can have them. */
    void revoked() {
        mustRejoin = true;
    }

    boolean isRebalancing() {
        return joining || mustRejoin;
    }

    /**
     * Whether to ask for another rebalance. Tasks are withheld until their owner lets go of them and joins again; if it is restarted
     * instead it gets its assignment back without joining, and nobody would ever own them.
     */
    boolean isOverdue() {
        return incomplete && !isRebalancing() && clock.millis() - assignedAt > PATIENCE.toMillis();
    }

    /** Another rebalance has been asked for. */
    void askedAgain() {
        assignedAt = clock.millis();
    }

    private boolean isCoPartitioned(Collection<TopicPartition> partitions) {
        var byTask = new HashMap<Integer, Set<String>>();
        partitions.forEach(partition -> byTask.computeIfAbsent(partition.partition(), none -> new HashSet<>())
                .add(partition.topic()));
        return byTask.values().stream().allMatch(each -> each.containsAll(topics));
    }
}
