package dev.weir.worker.commit;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.barrier.ManifestRef;
import dev.weir.kafka.CommittedPosition;
import dev.weir.kafka.GroupMember;
import dev.weir.kafka.Output;
import dev.weir.kafka.TransactionalSink;
import dev.weir.topology.TopicPartition;
import dev.weir.worker.commit.CommitProtocol.Committing;
import dev.weir.worker.commit.CommitProtocol.Decision;
import dev.weir.worker.commit.CommitProtocol.Open;
import dev.weir.worker.commit.CommitProtocol.Probed;
import dev.weir.worker.commit.CommitProtocol.Resolving;
import dev.weir.worker.commit.CommitProtocol.Secured;
import dev.weir.worker.commit.CommitProtocol.Securing;
import dev.weir.worker.commit.CommitProtocol.State;
import dev.weir.worker.commit.CommitProtocol.Suspended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CommitProtocolTest {

    private static final long WITHIN = 10_000;
    private static final SealedEpoch OLDER = epoch(6);
    private static final SealedEpoch EPOCH = epoch(7);
    private static final SealedEpoch NEXT = epoch(8);
    private static final Durable DURABLE = new Durable(new ManifestRef("m", "00"), List.of(), 0);

    private final CommitProtocol protocol = new CommitProtocol(WITHIN);

    /** Every state, some of them in more than one condition, and how to get there at time 0 with epoch 7. */
    private enum Given {
        OPEN(Open.class),
        SECURING(Securing.class),
        SECURING_AGAIN_SOON(Securing.class),
        SECURED(Secured.class),
        COMMITTING(Committing.class),
        RESOLVING_AFTER_A_COMMIT(Resolving.class),
        RESOLVING_WITHOUT_ONE(Resolving.class),
        RESOLVING_AGAIN_SOON(Resolving.class),
        RESOLVING_FOR_THE_STORE(Resolving.class),
        SUSPENDED(Suspended.class),
        SUSPENDED_WHILE_PROBING(Suspended.class);

        final Class<? extends State> type;

        Given(Class<? extends State> type) {
            this.type = type;
        }

        CommitProtocol make() {
            var protocol = new CommitProtocol(WITHIN);
            if (this == OPEN) {
                return protocol;
            }
            protocol.seal(EPOCH, 0);
            switch (this) {
                case SECURING_AGAIN_SOON -> protocol.onSecuringFailed(EPOCH, "slow", 0);
                case SECURED -> protocol.onSecured(EPOCH, DURABLE);
                case COMMITTING, RESOLVING_AFTER_A_COMMIT -> {
                    protocol.onSecured(EPOCH, DURABLE);
                    protocol.commit();
                    if (this == RESOLVING_AFTER_A_COMMIT) {
                        protocol.onCommitUncertain(EPOCH, "lost");
                    }
                }
                case RESOLVING_WITHOUT_ONE -> protocol.onVoid("lost");
                case RESOLVING_AGAIN_SOON -> {
                    protocol.onVoid("lost");
                    protocol.onResolvingFailed(0);
                }
                case RESOLVING_FOR_THE_STORE, SUSPENDED, SUSPENDED_WHILE_PROBING -> {
                    protocol.onSecuringFailed(EPOCH, "slow", WITHIN);
                    if (this != RESOLVING_FOR_THE_STORE) {
                        protocol.onResolved(false, 0);
                    }
                    if (this == SUSPENDED_WHILE_PROBING) {
                        protocol.onTick(0);
                    }
                }
                default -> {}
            }
            return protocol;
        }
    }

    /** Every event; at time 0 unless it says otherwise. */
    private enum Event {
        SEAL(p -> p.seal(NEXT, 0)),
        SECURED(p -> none(() -> p.onSecured(EPOCH, DURABLE))),
        OLDER_SECURED(p -> none(() -> p.onSecured(OLDER, DURABLE))),
        SECURING_FAILED(p -> p.onSecuringFailed(EPOCH, "slow", 0)),
        SECURING_FAILED_TOO_LATE(p -> p.onSecuringFailed(EPOCH, "slow", WITHIN - 500)),
        OLDER_SECURING_FAILED(p -> p.onSecuringFailed(OLDER, "slow", WITHIN)),
        COMMIT(CommitProtocol::commit),
        COMMITTED(p -> p.onCommitted(EPOCH)),
        OLDER_COMMITTED(p -> p.onCommitted(OLDER)),
        UNCERTAIN(p -> p.onCommitUncertain(EPOCH, "timeout")),
        OLDER_UNCERTAIN(p -> p.onCommitUncertain(OLDER, "timeout")),
        VOID(p -> p.onVoid("lost")),
        RESOLVED_AS_COMMITTED(p -> p.onResolved(true, 0)),
        RESOLVED_AS_NOT_COMMITTED(p -> p.onResolved(false, 0)),
        RESOLVING_FAILED(p -> none(() -> p.onResolvingFailed(0))),
        PROBE_ANSWERED(p -> none(() -> p.onProbe(Probed.ANSWERED, 0))),
        PROBE_FAILED(p -> none(() -> p.onProbe(Probed.FAILED, 0))),
        TICK(p -> p.onTick(0)),
        TICK_AFTER_HALF_A_SECOND(p -> p.onTick(500)),
        TICK_AT_THE_DEADLINE(p -> p.onTick(WITHIN));

        final java.util.function.Function<CommitProtocol, List<Decision>> happen;

        Event(java.util.function.Function<CommitProtocol, List<Decision>> happen) {
            this.happen = happen;
        }

        private static List<Decision> none(Runnable event) {
            event.run();
            return List.of();
        }
    }

    /** What follows: the state that it goes to and what is to be done. Any other pair of state and event changes nothing. */
    private static final Map<Given, Map<Event, String>> TABLE = new EnumMap<>(Map.ofEntries(
            entry(Given.OPEN, Map.of(Event.SEAL, "Securing Secure", Event.VOID, "Resolving Resolve")),
            entry(
                    Given.SECURING,
                    Map.of(
                            Event.SEAL, "refused",
                            Event.SECURED, "Secured",
                            Event.SECURING_FAILED, "Securing",
                            Event.SECURING_FAILED_TOO_LATE, "Resolving Resolve",
                            Event.VOID, "Resolving Resolve",
                            Event.TICK_AT_THE_DEADLINE, "Resolving Resolve")),
            entry(
                    Given.SECURING_AGAIN_SOON,
                    Map.of(
                            Event.SEAL, "refused",
                            Event.SECURED, "Secured",
                            Event.SECURING_FAILED, "same",
                            Event.SECURING_FAILED_TOO_LATE, "Resolving Resolve",
                            Event.VOID, "Resolving Resolve",
                            Event.TICK_AFTER_HALF_A_SECOND, "Securing Secure",
                            Event.TICK_AT_THE_DEADLINE, "Resolving Resolve")),
            entry(
                    Given.SECURED,
                    Map.of(
                            Event.SEAL, "refused",
                            Event.COMMIT, "Committing Commit",
                            Event.VOID, "Resolving Resolve")),
            entry(
                    Given.COMMITTING,
                    Map.of(
                            Event.SEAL, "refused",
                            Event.COMMITTED, "Open Committed",
                            Event.UNCERTAIN, "Resolving Resolve",
                            Event.VOID, "Resolving Resolve")),
            entry(
                    Given.RESOLVING_AFTER_A_COMMIT,
                    Map.of(
                            Event.SEAL, "refused",
                            Event.RESOLVED_AS_COMMITTED, "Open Committed RollBack",
                            Event.RESOLVED_AS_NOT_COMMITTED, "Open RollBack",
                            Event.RESOLVING_FAILED, "Resolving")),
            entry(
                    Given.RESOLVING_WITHOUT_ONE,
                    Map.of(
                            Event.SEAL, "refused",
                            Event.RESOLVED_AS_COMMITTED, "Open RollBack",
                            Event.RESOLVED_AS_NOT_COMMITTED, "Open RollBack",
                            Event.RESOLVING_FAILED, "Resolving")),
            entry(
                    Given.RESOLVING_AGAIN_SOON,
                    Map.of(
                            Event.SEAL, "refused",
                            Event.RESOLVED_AS_COMMITTED, "Open RollBack",
                            Event.RESOLVED_AS_NOT_COMMITTED, "Open RollBack",
                            Event.TICK_AFTER_HALF_A_SECOND, "Resolving Resolve",
                            Event.TICK_AT_THE_DEADLINE, "Resolving Resolve")),
            entry(
                    Given.RESOLVING_FOR_THE_STORE,
                    Map.of(
                            Event.SEAL, "refused",
                            Event.RESOLVED_AS_COMMITTED, "Suspended RollBack",
                            Event.RESOLVED_AS_NOT_COMMITTED, "Suspended RollBack",
                            Event.RESOLVING_FAILED, "Resolving")),
            entry(
                    Given.SUSPENDED,
                    Map.of(
                            Event.SEAL, "refused",
                            Event.PROBE_ANSWERED, "Open",
                            Event.PROBE_FAILED, "Suspended",
                            Event.TICK, "Suspended Probe",
                            Event.TICK_AFTER_HALF_A_SECOND, "Suspended Probe",
                            Event.TICK_AT_THE_DEADLINE, "Suspended Probe")),
            entry(
                    Given.SUSPENDED_WHILE_PROBING,
                    Map.of(
                            Event.SEAL, "refused",
                            Event.PROBE_ANSWERED, "Open",
                            Event.PROBE_FAILED, "Suspended"))));

    @ParameterizedTest
    @EnumSource
    void everyEventInEveryStateDoesWhatTheTableSays(Given given) {
        assertThat(given.make().state()).isInstanceOf(given.type);
        for (var event : Event.values()) {
            assertThat(happen(given, event))
                    .as("%s in %s", event, given)
                    .isEqualTo(TABLE.getOrDefault(given, Map.of()).getOrDefault(event, "same"));
        }
    }

    private static String happen(Given given, Event event) {
        var protocol = given.make();
        var before = protocol.state();
        List<Decision> decisions;
        try {
            decisions = event.happen.apply(protocol);
        } catch (IllegalStateException e) {
            assertThat(protocol.state()).isEqualTo(before);
            return "refused";
        }
        if (protocol.state().equals(before)) {
            assertThat(decisions).as("%s in %s", event, given).isEmpty();
            return "same";
        }
        return protocol.state().getClass().getSimpleName()
                + decisions.stream()
                        .map(decision -> " " + decision.getClass().getSimpleName())
                        .collect(Collectors.joining());
    }

    @Test
    void everyStateAndEveryDecisionOccursInTheTable() {
        assertThat(Arrays.stream(Given.values())
                        .map(given -> given.type.getSimpleName())
                        .collect(Collectors.toSet()))
                .isEqualTo(states());
        assertThat(TABLE.keySet()).isEqualTo(EnumSet.allOf(Given.class));
        var said = TABLE.values().stream().flatMap(row -> row.values().stream()).collect(Collectors.joining(" "));
        for (var decision : Decision.class.getPermittedSubclasses()) {
            assertThat(said).contains(" " + decision.getSimpleName());
        }
    }

    @Test
    void theDiagramNamesExactlyTheStatesThatThereAre() throws IOException {
        var source = Files.readString(Path.of("src/main/java/dev/weir/worker/commit/CommitProtocol.java"));
        var diagram = source.substring(source.indexOf("<pre>"), source.indexOf("</pre>"));

        var named = new TreeSet<String>();
        Pattern.compile("\\b[A-Z][a-z]+\\b").matcher(diagram).results().forEach(match -> named.add(match.group()));

        assertThat(named).isEqualTo(states());
    }

    private static Set<String> states() {
        return Arrays.stream(State.class.getPermittedSubclasses())
                .map(Class::getSimpleName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @EnumSource
    void recordsAreProcessedUnlessOpenEpochsAreDeadOrTheStoreIsAway(Given given) {
        boolean stands = given.type == Resolving.class || given.type == Suspended.class;
        assertThat(given.make().mayProcess()).isEqualTo(!stands);
        assertThat(given.make().isOpen()).isEqualTo(given == Given.OPEN);
    }

    @Test
    void anEpochIsCommittedOnceAndBeforeTheNextIsSealed() {
        assertThat(protocol.seal(EPOCH, 0)).containsExactly(new Decision.Secure(EPOCH));
        assertThatIllegalStateException()
                .isThrownBy(() -> protocol.seal(NEXT, 1))
                .withMessageStartingWith("Cannot end epoch 8: another one is in flight");
        protocol.onSecured(EPOCH, DURABLE);
        assertThat(protocol.state()).isEqualTo(new Secured(EPOCH, DURABLE));

        assertThat(protocol.commit()).containsExactly(new Decision.Commit(EPOCH, DURABLE));
        assertThat(protocol.commit()).as("not twice").isEmpty();
        assertThat(protocol.state()).isNotInstanceOf(Secured.class);

        assertThat(protocol.onCommitted(EPOCH)).containsExactly(new Decision.Committed(EPOCH, DURABLE));
        assertThat(protocol.seal(NEXT, 2)).containsExactly(new Decision.Secure(NEXT));
    }

    @Test
    void aCommitOfUnknownOutcomeThatHappenedIsAppliedBeforeTheRollBack() {
        var resolving = Given.RESOLVING_AFTER_A_COMMIT.make();

        assertThat(resolving.onCommitted(EPOCH))
                .as("its own word counts no more")
                .isEmpty();
        assertThat(resolving.onResolved(true, 5))
                .containsExactly(new Decision.Committed(EPOCH, DURABLE), new Decision.RollBack("lost"));
    }

    @Test
    void whatMakesEverythingVoidDuringACommitLeavesItsOutcomeToTheGroupsPointers() {
        var committing = Given.COMMITTING.make();

        assertThat(committing.onVoid("partitions lost")).containsExactly(new Decision.Resolve("partitions lost"));

        assertThat(committing.onResolved(true, 5))
                .containsExactly(new Decision.Committed(EPOCH, DURABLE), new Decision.RollBack("partitions lost"));
    }

    @Test
    void aDeltaThatFailsIsTriedAgainUntilItsDeadline() {
        protocol.seal(EPOCH, 0);
        assertThat(protocol.onSecuringFailed(EPOCH, "503", 1_000)).isEmpty();
        assertThat(protocol.onTick(1_499)).isEmpty();

        assertThat(protocol.onTick(1_500)).containsExactly(new Decision.Secure(EPOCH));

        assertThat(protocol.onTick(1_501)).as("one attempt at a time").isEmpty();
        assertThat(protocol.onSecuringFailed(EPOCH, "503", WITHIN - 501)).isEmpty();
        assertThat(protocol.onTick(WITHIN - 1)).containsExactly(new Decision.Secure(EPOCH));
    }

    @Test
    void aDeltaThatIsTooLateRollsBackAndStandsUntilTheStoreAnswers() {
        protocol.seal(EPOCH, 0);

        var resolve = protocol.onSecuringFailed(EPOCH, "503", WITHIN);
        assertThat(resolve).containsExactly(new Decision.Resolve("the store did not take the delta in time: 503"));
        protocol.onSecured(EPOCH, DURABLE);
        assertThat(protocol.state()).as("too late is too late").isInstanceOf(Resolving.class);

        assertThat(protocol.onResolved(false, WITHIN)).hasOnlyElementsOfType(Decision.RollBack.class);
        assertThat(protocol.onTick(WITHIN)).containsExactly(new Decision.Probe());
        assertThat(protocol.onTick(WITHIN + 10_000)).as("one probe at a time").isEmpty();
        protocol.onProbe(Probed.FAILED, 30_000);
        assertThat(protocol.onTick(30_499)).isEmpty();
        assertThat(protocol.onTick(30_500)).containsExactly(new Decision.Probe());
        protocol.onProbe(Probed.ANSWERED, 30_600);
        assertThat(protocol.isOpen()).isTrue();
    }

    @Test
    void aStoreThatNeitherTakesNorRefusesADeltaIsNotWaitedForBeyondTheDeadline() {
        protocol.seal(EPOCH, 100);
        assertThat(protocol.onTick(100 + WITHIN - 1)).isEmpty();

        assertThat(protocol.onTick(100 + WITHIN)).hasOnlyElementsOfType(Decision.Resolve.class);

        protocol.onResolved(false, 100 + WITHIN);
        assertThat(protocol.state()).isInstanceOf(Suspended.class);
    }

    @Test
    void lateWordOfAnOlderEpochChangesNothingOfTheNewer() {
        var committing = Given.COMMITTING.make();
        var before = committing.state();

        committing.onSecured(OLDER, DURABLE);
        var decisions = List.of(
                committing.onSecuringFailed(OLDER, "late", WITHIN),
                committing.onCommitted(OLDER),
                committing.onCommitUncertain(OLDER, "late"));

        assertThat(decisions).allMatch(List::isEmpty);
        assertThat(committing.state()).isEqualTo(before);
    }

    private static SealedEpoch epoch(long number) {
        return new SealedEpoch(number, new NoSink(), 0, List.of(), 0);
    }

    private static final class NoSink implements TransactionalSink {

        @Override
        public void begin() {}

        @Override
        public int maxRecordBytes() {
            return 0;
        }

        @Override
        public void send(Output output) {}

        @Override
        public void flush() {}

        @Override
        public CommitOutcome commit(Map<TopicPartition, CommittedPosition> positions, GroupMember member) {
            return new CommitOutcome.Committed();
        }

        @Override
        public void close() {}
    }
}
