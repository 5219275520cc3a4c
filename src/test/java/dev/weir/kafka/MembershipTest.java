package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class MembershipTest {

    private long now;
    private final Membership membership = new Membership(List.of("x", "y"), Set.of(2, 1), new Clock() {
        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public long nanos() {
            return now;
        }
    });

    @Test
    void aRebalanceLastsFromTheRequestToTheAssignment() {
        assertThat(membership.isRebalancing()).isFalse();
        assertThat(membership.joining()).containsExactly(1, 2);
        assertThat(membership.isRebalancing()).isTrue();
        membership.joined(both(0), false);
        assertThat(membership.isRebalancing()).isFalse();
    }

    @Test
    void afterARevocationAnotherRoundFollows() {
        membership.joining();
        membership.revoked();
        membership.joined(both(0), true);
        assertThat(membership.isRebalancing()).isTrue();
        membership.joining();
        membership.joined(both(0), false);
        assertThat(membership.isRebalancing()).isFalse();
    }

    @Test
    void whereTasksStayWithheldAnotherRoundIsAskedForInTime() {
        membership.joining();
        membership.joined(both(0), true);
        assertThat(membership.isOverdue()).isFalse();
        now += Duration.ofSeconds(4).toNanos();
        assertThat(membership.isOverdue()).isTrue();
        membership.askedAgain();
        assertThat(membership.isOverdue()).isFalse();
        membership.joining();
        membership.joined(both(0), false);
        now += Duration.ofSeconds(4).toNanos();
        assertThat(membership.isOverdue()).isFalse();
    }

    @Test
    void anAssignmentThatLacksAnInputIsIncomplete() {
        membership.joining();
        membership.joined(List.of(new TopicPartition("x", 0)), false);
        now += Duration.ofSeconds(4).toNanos();
        assertThat(membership.isOverdue()).isTrue();
    }

    private static List<TopicPartition> both(int partition) {
        return List.of(new TopicPartition("x", partition), new TopicPartition("y", partition));
    }
}
