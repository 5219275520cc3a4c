package dev.weir.coordinator;

import static dev.weir.coordinator.Scenario.CHECKPOINT_REF;
import static dev.weir.coordinator.Scenario.MARKERS;
import static dev.weir.coordinator.Scenario.ORDERS_0;
import static dev.weir.coordinator.Scenario.ORDERS_1;
import static dev.weir.coordinator.Scenario.SETTINGS;
import static dev.weir.coordinator.Scenario.TASK_0;
import static dev.weir.coordinator.Scenario.TASK_1;
import static dev.weir.coordinator.Scenario.WALL;
import static dev.weir.coordinator.Scenario.acknowledged;
import static dev.weir.coordinator.Scenario.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.barrier.ControlRecord.CheckpointAbandoned;
import dev.weir.barrier.ControlRecord.CheckpointCompleted;
import dev.weir.barrier.ControlRecord.CheckpointStarted;
import dev.weir.barrier.ControlRecord.Declined;
import dev.weir.barrier.ControlRecord.FullState;
import dev.weir.barrier.ControlRecord.MarkersPlaced;
import dev.weir.barrier.ControlRecord.SlotReleased;
import dev.weir.barrier.ControlRecord.TaskAdmitted;
import dev.weir.barrier.ControlRecord.TaskRegistered;
import dev.weir.coordinator.Leader.Phase;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.topology.TaskId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class LeaderTest {

    @Nested
    class Starting {

        @Test
        void admitsARegisteredTaskWithTheHighestIdStartedBefore() {
            var given = Scenario.started();

            given.on(new Event.Tick()).read(new TaskRegistered(new TaskId("totals", 2), "s"));

            assertThat(given.published()).containsExactly(new TaskAdmitted(new TaskId("totals", 2), 1));
        }

        @Test
        void startsACheckpointWhenTheIntervalHasPassed() {
            var given = Scenario.leading();

            given.after(9_999);
            assertThat(given.last).isEmpty();
            given.after(1);
            assertThat(given.last).containsExactly(new Decision.DescribeSources());
            given.on(new Event.SourcesDescribed(Map.of("orders", 2)));

            assertThat(given.last).containsExactly(new Decision.Publish(List.of(start(1, WALL + given.millis))));
        }

        @Test
        void startsNothingWithoutTasks() {
            var given = new Scenario().elected();

            given.after(10_000).after(10_000);

            assertThat(Scenario.of(given.all, Decision.Publish.class)).isEmpty();
        }

        @Test
        void startsNothingWhileACheckpointIsOpen() {
            var given = Scenario.waiting();

            given.after(20_000);

            assertThat(given.last(Decision.Publish.class)).isEmpty();
        }

        @Test
        void startsTheNextOneAtOnceIfTheLastTookLongerThanTheInterval() {
            var given = Scenario.waiting().after(20_000).read(acknowledged(1, TASK_0), acknowledged(1, TASK_1));

            given.on(new Event.Verified(1, List.of())).ruled(Outcome.COMPLETE, null);

            assertThat(given.published())
                    .containsExactly(new CheckpointCompleted(1, CHECKPOINT_REF), start(2, WALL + given.millis));
        }

        @Test
        void listsATaskThatIsAdmittedInTheSameTransactionBeforeTheStart() {
            var given = Scenario.leading();
            var late = new TaskId("totals", 2);
            given.after(10_000).read(new TaskRegistered(late, "s"));
            given.on(new Event.SourcesDescribed(Map.of("orders", 2)));
            assertThat(given.published()).containsExactly(new TaskAdmitted(late, 0));

            given.stands();

            assertThat(Scenario.of(given.published(), CheckpointStarted.class))
                    .singleElement()
                    .satisfies(started -> assertThat(started.tasks()).containsExactlyInAnyOrder(TASK_0, TASK_1, late));
        }

        @Test
        void startsNothingWhileASourceTopicIsMissingAndSaysSoOnce() {
            var given = Scenario.leading().after(10_000);

            given.on(new Event.SourcesDescribed(Map.of()));
            assertThat(given.told(Notice.SourcesMissing.class))
                    .containsExactly(new Notice.SourcesMissing(List.of("orders")));
            given.after(1_000);
            assertThat(given.last).containsExactly(new Decision.DescribeSources());
            given.on(new Event.SourcesDescribed(Map.of()));
            assertThat(given.last).isEmpty();
            given.after(1_000).on(new Event.SourcesDescribed(Map.of("orders", 2)));

            assertThat(given.published()).hasOnlyElementsOfType(CheckpointStarted.class);
        }

        @Test
        void asksForTheSourcesAgainWhenTheyCouldNotBeLookedUp() {
            var given = Scenario.leading().after(10_000);

            given.on(new Event.SourcesUnknown("no broker"));
            given.after(999);
            assertThat(given.last).isEmpty();
            given.after(1);

            assertThat(given.last).containsExactly(new Decision.DescribeSources());
        }

        @Test
        void listsPartitionsThatWereAddedAndTellsOfThem() {
            var given =
                    Scenario.verifying().on(new Event.Verified(1, List.of())).ruled(Outcome.COMPLETE, null);
            given.stands().after(31_000);
            assertThat(given.last).contains(new Decision.DescribeSources());

            given.on(new Event.SourcesDescribed(Map.of("orders", 3)));

            assertThat(given.told(Notice.SourceChanged.class))
                    .containsExactly(new Notice.SourceChanged("orders", 2, 3));
            assertThat(Scenario.of(given.published(), CheckpointStarted.class))
                    .singleElement()
                    .satisfies(started -> assertThat(started.partitions()).hasSize(3));
        }

        @Test
        void publishesNothingMoreBeforeTheLastTransactionIsWrittenAndReadBack() {
            var given = new Scenario().elected().read(new TaskRegistered(TASK_0, "s"));
            var first = given.published();

            given.read(new TaskRegistered(TASK_1, "s"));
            assertThat(given.last).isEmpty();
            given.on(new Event.Published());
            assertThat(given.last).isEmpty();
            given.read(first.get(0));

            assertThat(given.last(Decision.Publish.class))
                    .containsExactly(new Decision.Publish(List.of(new TaskAdmitted(TASK_1, 0))));
        }
    }

    @Nested
    class Deciding {

        @Test
        void injectsOnlyAfterTheStartWasReadBack() {
            var given = Scenario.leading().after(10_000).on(new Event.SourcesDescribed(Map.of("orders", 2)));
            assertThat(given.last(Decision.Inject.class)).isEmpty();

            given.stands();

            assertThat(given.last(Decision.Inject.class))
                    .containsExactly(new Decision.Inject(1, 1, Set.of(ORDERS_0, ORDERS_1)));
            assertThat(given.told(Notice.Started.class)).containsExactly(new Notice.Started(1, 2, 2));
        }

        @Test
        void injectsOnlyAfterItIsSureToHaveWrittenTheStartItself() {
            var given = Scenario.leading().after(10_000).on(new Event.SourcesDescribed(Map.of("orders", 2)));

            given.read(given.published().get(0));
            assertThat(given.last(Decision.Inject.class)).isEmpty();
            given.on(new Event.Published());

            assertThat(given.last(Decision.Inject.class)).hasSize(1);
        }

        @Test
        void publishesWhereTheMarkersAre() {
            var given = Scenario.started();

            given.on(new Event.MarkersWritten(1, MARKERS));

            assertThat(given.last).containsExactly(new Decision.Publish(List.of(new MarkersPlaced(1, MARKERS))));
        }

        @Test
        void abandonsWhenTheMarkersCouldNotAllBeWritten() {
            var given = Scenario.started();

            given.on(new Event.MarkersFailed(1, "no broker"));

            assertThat(given.last(Decision.Rule.class)).singleElement().satisfies(rule -> {
                assertThat(rule.outcome()).isEqualTo(Outcome.ABANDONED);
                assertThat(rule.reason()).isEqualTo("its markers could not be written: no broker");
            });
        }

        @Test
        void verifiesWhenAllTasksHaveAcknowledgedAndRepeatsDoNotCount() {
            var given = Scenario.waiting();

            given.read(acknowledged(1, TASK_0), acknowledged(1, TASK_0));
            assertThat(given.last).isEmpty();
            given.read(acknowledged(1, TASK_1));

            assertThat(given.last(Decision.Verify.class)).singleElement().satisfies(verify -> assertThat(
                            verify.checkpoint().isAcknowledged())
                    .isTrue());
            given.read(acknowledged(1, TASK_1));
            assertThat(given.last).isEmpty();
        }

        @Test
        void verifiesOnlyOnceTheMarkersArePublishedEvenIfAllAcknowledgedBefore() {
            var given = Scenario.started().read(acknowledged(1, TASK_0), acknowledged(1, TASK_1));
            assertThat(given.last).isEmpty();

            given.on(new Event.MarkersWritten(1, MARKERS));
            assertThat(given.last(Decision.Verify.class)).isEmpty();
            given.stands();

            assertThat(given.last(Decision.Verify.class)).hasSize(1);
        }

        @Test
        void completesAConsistentCheckpoint() {
            var given = Scenario.verifying();

            given.on(new Event.Verified(1, List.of()));
            assertThat(given.last(Decision.Rule.class)).singleElement().satisfies(rule -> assertThat(rule.outcome())
                    .isEqualTo(Outcome.COMPLETE));
            given.after(2_000).ruled(Outcome.COMPLETE, null);
            assertThat(given.published()).containsExactly(new CheckpointCompleted(1, CHECKPOINT_REF));
            given.stands();

            assertThat(given.told(Notice.Completed.class)).containsExactly(new Notice.Completed(1, 2_000, 2, 2));
            assertThat(given.leader.state().open()).isEmpty();
        }

        @Test
        void abandonsAnInconsistentCheckpointAndTellsLoudly() {
            var given = Scenario.verifying();

            given.on(new Event.Verified(1, List.of("a is wrong", "b is wrong")));

            assertThat(given.told(Notice.Inconsistent.class))
                    .containsExactly(new Notice.Inconsistent(1, List.of("a is wrong", "b is wrong")));
            assertThat(given.last(Decision.Rule.class)).singleElement().satisfies(rule -> {
                assertThat(rule.outcome()).isEqualTo(Outcome.ABANDONED);
                assertThat(rule.reason()).contains("a is wrong; b is wrong");
            });
        }

        @Test
        void publishesWhatStandsInTheStoreNotWhatItWanted() {
            var given = Scenario.verifying().on(new Event.Verified(1, List.of()));

            given.ruled(Outcome.ABANDONED, "another leader said so");

            assertThat(given.published()).containsExactly(new CheckpointAbandoned(1, "another leader said so"));
        }

        @Test
        void completesIfAnEarlierLeaderHadCompletedWhatItWantedToAbandon() {
            var given = Scenario.waiting().after(60_000);
            assertThat(given.last(Decision.Rule.class)).singleElement().satisfies(rule -> assertThat(rule.outcome())
                    .isEqualTo(Outcome.ABANDONED));

            given.ruled(Outcome.COMPLETE, null);

            assertThat(given.published()).contains(new CheckpointCompleted(1, CHECKPOINT_REF));
        }

        @Test
        void abandonsWhatStandsInTheStoreForAnotherCheckpointOfTheSameId() {
            var given = Scenario.verifying().on(new Event.Verified(1, List.of()));

            given.on(new Event.Ruled(1, Outcome.COMPLETE, null, given.startedAt(1) - 1, CHECKPOINT_REF));

            assertThat(given.told(Notice.IdTaken.class)).containsExactly(new Notice.IdTaken(1));
            assertThat(given.published()).hasOnlyElementsOfType(CheckpointAbandoned.class);
        }

        @Test
        void abandonsWhenTasksDoNotAcknowledgeInTime() {
            var given = Scenario.waiting().read(acknowledged(1, TASK_0));

            given.after(59_999);
            assertThat(given.last).isEmpty();
            given.after(1);
            assertThat(given.last(Decision.Rule.class)).singleElement().satisfies(rule -> assertThat(rule.reason())
                    .isEqualTo("1 of 2 tasks did not acknowledge it in time: totals/1"));
            given.ruled(Outcome.ABANDONED, "late");
            given.stands();

            assertThat(given.told(Notice.Abandoned.class))
                    .containsExactly(new Notice.Abandoned(1, 60_000, 2, 1, "late"));
        }

        @Test
        void abandonsWhenMarkersAreNotWrittenInTimeAndIgnoresThemLater() {
            var given = Scenario.started().after(60_000);
            assertThat(given.last(Decision.Rule.class)).singleElement().satisfies(rule -> assertThat(rule.reason())
                    .isEqualTo("its markers were not placed in time"));

            given.on(new Event.MarkersWritten(1, MARKERS));

            assertThat(given.last).isEmpty();
        }

        @Test
        void abandonsWhatATaskDeclines() {
            var given = Scenario.waiting();

            given.read(new Declined(1, 1, TASK_1, "its last cut is 7"));

            assertThat(given.last(Decision.Rule.class)).singleElement().satisfies(rule -> assertThat(rule.reason())
                    .isEqualTo("totals/1 declined: its last cut is 7"));
        }

        @Test
        void ignoresARefusalOfAnotherIncarnationOrOfATaskThatHasAcknowledged() {
            var given = Scenario.waiting().read(acknowledged(1, TASK_1));

            given.read(
                    new Declined(1, 2, TASK_0, "?"), new Declined(1, 1, TASK_1, "?"), new Declined(9, 1, TASK_0, "?"));

            assertThat(given.last).isEmpty();
        }

        @Test
        void asksTheStoreAgainAfterAPause() {
            var given = Scenario.verifying();

            given.on(new Event.StoreFailed(1, "503"));
            assertThat(given.told(Notice.Retrying.class)).hasSize(1);
            given.after(999);
            assertThat(given.last).isEmpty();
            given.after(1);
            assertThat(given.last(Decision.Verify.class)).hasSize(1);
            given.on(new Event.Verified(1, List.of()))
                    .on(new Event.StoreFailed(1, "503"))
                    .after(100_000);

            assertThat(given.last(Decision.Rule.class)).singleElement().satisfies(rule -> assertThat(rule.outcome())
                    .isEqualTo(Outcome.COMPLETE));
        }

        @Test
        void abandonsWhatCannotBeExaminedInTime() {
            var given = Scenario.verifying().on(new Event.StoreFailed(1, "503"));

            given.after(60_000);

            assertThat(given.last(Decision.Rule.class)).singleElement().satisfies(rule -> assertThat(rule.outcome())
                    .isEqualTo(Outcome.ABANDONED));
        }
    }

    @Nested
    class TakingOver {

        @Test
        void abandonsACheckpointWhoseMarkersWereNotPublishedAndNeverInjectsForIt() {
            var given = new Scenario().read(new TaskRegistered(TASK_0, "s"), new TaskAdmitted(TASK_0, 0), start(4, 5));

            given.elected();

            assertThat(given.last(Decision.Rule.class)).singleElement().satisfies(rule -> {
                assertThat(rule.checkpoint().id()).isEqualTo(4);
                assertThat(rule.outcome()).isEqualTo(Outcome.ABANDONED);
            });
            assertThat(given.last(Decision.Inject.class)).isEmpty();
        }

        @Test
        void verifiesACheckpointThatAllHadAcknowledged() {
            var given = new Scenario()
                    .read(start(4, 5), new MarkersPlaced(4, MARKERS), acknowledged(4, TASK_0), acknowledged(4, TASK_1));

            given.elected();

            assertThat(given.last(Decision.Verify.class)).hasSize(1);
        }

        @Test
        void waitsForTheRestOfTheAcknowledgementsCountedFromItsElection() {
            var given = new Scenario().read(start(4, 5), new MarkersPlaced(4, MARKERS), acknowledged(4, TASK_0));
            given.millis += 1_000_000;
            given.elected();
            assertThat(given.last(Decision.Rule.class)).isEmpty();

            given.after(59_999);
            assertThat(given.last(Decision.Rule.class)).isEmpty();
            given.after(1);

            assertThat(given.last(Decision.Rule.class)).hasSize(1);
        }

        @Test
        void goesOnWithTheNextId() {
            var given = new Scenario()
                    .read(new TaskRegistered(TASK_0, "s"), new TaskAdmitted(TASK_0, 0), start(4, 5))
                    .read(new CheckpointAbandoned(4, "r"))
                    .elected();

            given.after(10_000).on(new Event.SourcesDescribed(Map.of("orders", 2)));

            assertThat(Scenario.of(given.published(), CheckpointStarted.class))
                    .extracting(CheckpointStarted::checkpoint)
                    .containsExactly(5L);
        }

        @Test
        void decidesNothingBeforeTheTopicIsReadToItsEnd() {
            var given = new Scenario().on(new Event.Elected());
            assertThat(given.last).containsExactly(new Decision.OpenWriter());

            given.on(new Event.WriterOpened())
                    .read(new TaskRegistered(TASK_0, "s"))
                    .after(100_000);

            assertThat(given.last).isEmpty();
            assertThat(given.leader.phase()).isEqualTo(Phase.CATCHING_UP);
        }

        @Test
        void givesEverythingUpWhenDeposed() {
            var given = Scenario.verifying();

            given.on(new Event.Deposed());

            assertThat(given.last).startsWith(new Decision.GiveUp()).hasSize(2);
            given.on(new Event.Verified(1, List.of())).after(100_000);
            assertThat(given.last).isEmpty();
        }
    }

    @Nested
    class Recovering {

        @Test
        void readsTheTopicAgainAfterAWriteWithAnUnknownOutcomeAndReusesNoId() {
            var given = Scenario.leading().after(10_000).on(new Event.SourcesDescribed(Map.of("orders", 2)));
            var started = given.published().get(0);

            given.on(new Event.WriterFailed(false, "timed out"));
            assertThat(given.last).startsWith(new Decision.GiveUp());
            given.after(999);
            assertThat(given.last).isEmpty();
            given.after(1);
            assertThat(given.last).containsExactly(new Decision.OpenWriter());
            given.on(new Event.WriterOpened()).read(started);
            assertThat(given.told(Notice.Started.class)).hasSize(1);
            given.on(new Event.CaughtUp());

            assertThat(given.last(Decision.Rule.class)).singleElement().satisfies(rule -> assertThat(rule.outcome())
                    .isEqualTo(Outcome.ABANDONED));
            assertThat(given.last(Decision.Inject.class)).isEmpty();
        }

        @Test
        void usesTheIdIfTheWriteHadNotTakenEffect() {
            var given = Scenario.leading().after(10_000).on(new Event.SourcesDescribed(Map.of("orders", 2)));
            given.on(new Event.WriterFailed(false, "timed out")).after(1_000);

            given.on(new Event.WriterOpened())
                    .on(new Event.CaughtUp())
                    .after(10_000)
                    .on(new Event.SourcesDescribed(Map.of("orders", 2)));

            assertThat(given.published()).containsExactly(start(1, WALL + given.millis));
        }

        @Test
        void waitsLongerWhenFencedThanWhenTheBrokerFailed() {
            var given = Scenario.leading().on(new Event.WriterFailed(true, "fenced"));

            given.after(4_999);
            assertThat(given.last).isEmpty();
            given.after(1);

            assertThat(given.last).containsExactly(new Decision.OpenWriter());
        }

        @Test
        void keepsTheDeadlineOfACheckpointThroughItsOwnRecovery() {
            var given = Scenario.waiting().after(30_000);
            given.on(new Event.WriterFailed(false, "timed out")).after(1_000);
            given.on(new Event.WriterOpened()).on(new Event.CaughtUp());
            assertThat(given.last(Decision.Rule.class)).isEmpty();

            given.after(29_000);

            assertThat(given.last(Decision.Rule.class)).hasSize(1);
        }

        @Test
        void stopsWhenSomebodyElseWritesAsLeader() {
            var given = Scenario.waiting();

            given.read(new CheckpointAbandoned(1, "not mine"));

            assertThat(given.last(Decision.GiveUp.class)).hasSize(1);
            assertThat(given.leader.phase()).isEqualTo(Phase.PAUSING);
        }

        @Test
        void beginsAnewWhenTheTopicIsReadAgain() {
            var given = Scenario.waiting();

            given.on(new Event.ReadingAgain("its beginning was deleted"));

            assertThat(given.last).startsWith(new Decision.GiveUp());
            assertThat(given.leader.state().open()).isEmpty();
            given.after(1_000).on(new Event.WriterOpened());
            assertThat(given.leader.phase()).isEqualTo(Phase.CATCHING_UP);
        }
    }

    @Nested
    class WritingTheFullState {

        private final Scenario given = new Scenario(new CoordinatorSettings(
                "shop",
                SETTINGS.sources(),
                SETTINGS.checkpointInterval(),
                SETTINGS.checkpointTimeout(),
                SETTINGS.slotGrace(),
                3));

        @Test
        void writesItAfterSoManyRecordsAndTrimsBelowTheOneBefore() {
            given.read(new SlotReleased("a", "t"), new SlotReleased("a", "t"), new SlotReleased("a", "t"));
            given.elected();
            assertThat(given.published()).containsExactly(new FullState(3, given.leader.state()));
            given.stands();
            assertThat(given.last(Decision.Trim.class)).isEmpty();

            given.read(new SlotReleased("a", "t"), new SlotReleased("a", "t"), new SlotReleased("a", "t"));
            assertThat(given.published()).containsExactly(new FullState(7, given.leader.state()));
            given.stands();

            assertThat(given.last(Decision.Trim.class)).containsExactly(new Decision.Trim(3));
        }
    }
}
