package dev.weir.simulation;

import dev.weir.fixture.ForwardingSink;
import dev.weir.kafka.CommittedPosition;
import dev.weir.kafka.GroupMember;
import dev.weir.kafka.TransactionalSink;
import dev.weir.testkit.UncheckedCommits;
import dev.weir.topology.TopicPartition;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A sink that makes one kind of mistake. */
final class SabotagedSink extends ForwardingSink {

    private final Sabotage sabotage;
    private final Postponed postponed;

    SabotagedSink(TransactionalSink real, Sabotage sabotage, Postponed postponed) {
        super(real);
        this.sabotage = sabotage;
        this.postponed = postponed;
    }

    /** A commit of one of the process's sinks that was reported and not made yet. */
    static final class Postponed {
        private @Nullable TransactionalSink sink;
        private @Nullable Runnable commit;

        private void set(TransactionalSink of, Runnable later) {
            sink = of;
            commit = later;
        }

        private boolean isOf(TransactionalSink other) {
            return sink == other;
        }

        private boolean isSet() {
            return commit != null;
        }

        private void drop() {
            sink = null;
            commit = null;
        }

        private void make() {
            var now = commit;
            drop();
            if (now != null) {
                now.run();
            }
        }
    }

    @Override
    public void begin() {
        if (postponed.isOf(real)) {
            postponed.make();
        }
        real.begin();
    }

    @Override
    public void flush() {
        if (sabotage != Sabotage.NO_FLUSH) {
            real.flush();
        }
    }

    @Override
    public CommitOutcome commit(Map<TopicPartition, CommittedPosition> positions, GroupMember member) {
        return switch (sabotage) {
            case NO_POSITIONS -> UncheckedCommits.withoutPositions(real, member);
            case NO_MEMBER -> UncheckedCommits.withoutMember(real, positions, member);
            case INVERTED_COMMITS -> commitInverted(positions, member);
            case EARLY_COMMITTED -> {
                postponed.make();
                postpone(positions, member);
                yield new CommitOutcome.Committed();
            }
            default -> real.commit(positions, member);
        };
    }

    private CommitOutcome commitInverted(Map<TopicPartition, CommittedPosition> positions, GroupMember member) {
        if (!postponed.isSet()) {
            postpone(positions, member);
            return new CommitOutcome.Committed();
        }
        var outcome = real.commit(positions, member);
        postponed.make();
        return outcome;
    }

    private void postpone(Map<TopicPartition, CommittedPosition> positions, GroupMember member) {
        postponed.set(real, () -> real.commit(positions, member));
    }

    @Override
    public void close() {
        if (postponed.isOf(real)) {
            postponed.drop();
        }
        real.close();
    }
}
