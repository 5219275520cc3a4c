package dev.weir.testkit;

import dev.weir.kafka.CommittedPosition;
import dev.weir.kafka.GroupMember;
import dev.weir.kafka.TransactionalSink;
import dev.weir.kafka.TransactionalSink.CommitOutcome;
import dev.weir.testkit.InMemorySource.Membership;
import dev.weir.topology.TopicPartition;
import java.util.Map;

/** Commits as a broker lets one commit, without what the port refuses; for wrong clients. */
public final class UncheckedCommits {

    private UncheckedCommits() {}

    /** Commits without any position. */
    public static CommitOutcome withoutPositions(TransactionalSink sink, GroupMember member) {
        return ((InMemorySink) sink).commitUnchecked(Map.of(), (Membership) member);
    }

    /** Commits positions without saying who does. */
    public static CommitOutcome withoutMember(
            TransactionalSink sink, Map<TopicPartition, CommittedPosition> positions, GroupMember member) {
        var known = (Membership) member;
        return ((InMemorySink) sink)
                .commitUnchecked(positions, new Membership(known.group(), known.instance(), known.id(), -1));
    }
}
