package dev.weir.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.barrier.ControlRecord.SlotFenced;
import dev.weir.barrier.ControlRecord.SlotRegistered;
import dev.weir.barrier.ControlRecord.SlotReleased;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The grace is 45 s, so groups are looked at every 22.5 s. */
class SlotsTest {

    private static final SlotRegistered SLOT = slot("t1");
    private static final Event.MembersSeen ABSENT = new Event.MembersSeen(Map.of("g", Set.of("other")));
    private static final Event.MembersSeen PRESENT = new Event.MembersSeen(Map.of("g", Set.of("m")));
    private static final long LOOK = 22_500;

    private static SlotRegistered slot(String token) {
        return new SlotRegistered("s", "g", "m", List.of("tx-0", "tx-1"), token);
    }

    private static Scenario registered() {
        return new Scenario().elected().read(SLOT);
    }

    @Test
    void fencesASlotWhoseMemberIsGoneForLongerThanTheGrace() {
        var given = registered();
        assertThat(given.last(Decision.Look.class)).containsExactly(new Decision.Look(Set.of("g")));

        given.on(ABSENT).after(LOOK).on(ABSENT);
        assertThat(given.last).isEmpty();
        given.after(LOOK).on(ABSENT);

        assertThat(given.last).containsExactly(new Decision.Fence(SLOT));
        given.on(new Event.Fenced("s", "t1"));
        assertThat(given.last).containsExactly(new Decision.Publish(List.of(new SlotFenced("s", "t1"))));
        given.stands();
        assertThat(given.leader.state().slots()).isEmpty();
        assertThat(given.told(Notice.SlotFenced.class)).hasSize(1);
    }

    @Test
    void beginsAnewWhenTheMemberWasSeenInBetween() {
        var given = registered()
                .on(ABSENT)
                .after(LOOK)
                .on(PRESENT)
                .after(LOOK)
                .on(ABSENT)
                .after(LOOK)
                .on(ABSENT);

        assertThat(Scenario.of(given.all, Decision.Fence.class)).isEmpty();
    }

    @Test
    void concludesNothingFromALookThatFailedOrLeftTheGroupOut() {
        var given = registered();

        for (int i = 0; i < 5; i++) {
            given.on(new Event.MembersSeen(Map.of())).after(LOOK);
            given.on(new Event.MembersUnknown("no broker")).after(LOOK);
        }

        assertThat(Scenario.of(given.all, Decision.Fence.class)).isEmpty();
    }

    @Test
    void doesNotLookAgainBeforeTheLastLookCameBack() {
        var given = registered().after(10 * LOOK);

        assertThat(Scenario.of(given.all, Decision.Look.class)).hasSize(1);
    }

    @Test
    void countsTheTimeBetweenTheLooksAndNotUntilALateAnswer() {
        var given = registered()
                .on(ABSENT)
                .after(LOOK)
                .on(PRESENT)
                .after(LOOK)
                .on(ABSENT)
                .after(LOOK);

        given.after(10 * LOOK).on(ABSENT);

        assertThat(Scenario.of(given.all, Decision.Fence.class)).isEmpty();
    }

    @Test
    void aNewRegistrationIsAnotherLife() {
        var given =
                registered().on(ABSENT).after(LOOK).on(ABSENT).read(slot("t2")).after(LOOK);

        given.on(ABSENT);
        assertThat(Scenario.of(given.all, Decision.Fence.class)).isEmpty();
        given.after(LOOK).on(ABSENT).after(LOOK).on(ABSENT);

        assertThat(given.last).containsExactly(new Decision.Fence(slot("t2")));
    }

    @Test
    void theFencingOfAnOldLifeSaysNothingOfTheNewOne() {
        var given = registered().on(ABSENT).after(2 * LOOK).on(ABSENT).read(slot("t2"));
        assertThat(Scenario.of(given.all, Decision.Fence.class)).hasSize(1);

        given.on(new Event.Fenced("s", "t1"));

        assertThat(given.last).isEmpty();
        assertThat(given.leader.state().slots()).containsEntry("s", slot("t2"));
    }

    @Test
    void fencesAgainAtTheNextLookWhenThatFailed() {
        var given = registered().on(ABSENT).after(2 * LOOK).on(ABSENT);

        given.on(new Event.FenceFailed("s", "t1", "no broker")).after(LOOK).on(ABSENT);

        assertThat(given.last).containsExactly(new Decision.Fence(SLOT));
    }

    @Test
    void leavesAReleasedSlotAlone() {
        var given = registered().on(ABSENT).read(new SlotReleased("s", "t1")).after(10 * LOOK);

        assertThat(given.last).isEmpty();
    }

    @Test
    void aNewLeaderBelievesOnlyItsOwnLooks() {
        var given = registered().on(ABSENT);
        given.on(new Event.Deposed()).after(10 * LOOK).elected();

        given.on(ABSENT);

        assertThat(given.last).isEmpty();
    }
}
