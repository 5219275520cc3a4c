package dev.weir.coordinator;

import static dev.weir.coordinator.Scenario.CHECKPOINT_REF;
import static dev.weir.coordinator.Scenario.MARKERS;
import static dev.weir.coordinator.Scenario.TASK_0;
import static dev.weir.coordinator.Scenario.TASK_1;
import static dev.weir.coordinator.Scenario.acknowledged;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.barrier.ControlRecord.Declined;
import dev.weir.barrier.ControlRecord.SlotReleased;
import dev.weir.coordinator.Leader.Phase;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every event in every phase, and everything about a checkpoint at every stand of it. */
class TransitionsTest {

    private static final Map<Phase, Supplier<Scenario>> PHASES = Map.of(
            Phase.FOLLOWING, Scenario::new,
            Phase.OPENING, () -> new Scenario().on(new Event.Elected()),
            Phase.CATCHING_UP, () -> new Scenario().on(new Event.Elected()).on(new Event.WriterOpened()),
            Phase.LEADING, () -> new Scenario().elected(),
            Phase.PAUSING, () -> new Scenario().elected().on(new Event.WriterFailed(false, "r")));

    private static final List<Event> EVENTS = List.of(
            new Event.Elected(),
            new Event.Deposed(),
            new Event.Tick(),
            new Event.Read(0, new SlotReleased("s", "t")),
            new Event.ReadingAgain("r"),
            new Event.CaughtUp(),
            new Event.WriterOpened(),
            new Event.WriterFailed(false, "r"),
            new Event.Published(),
            new Event.SourcesDescribed(Map.of("orders", 2)),
            new Event.SourcesUnknown("r"),
            new Event.MarkersWritten(1, MARKERS),
            new Event.MarkersFailed(1, "r"),
            new Event.Verified(1, List.of()),
            new Event.Ruled(1, Outcome.COMPLETE, null, 1, CHECKPOINT_REF),
            new Event.StoreFailed(1, "r"),
            new Event.MembersSeen(Map.of()),
            new Event.MembersUnknown("r"),
            new Event.Fenced("s", "t"),
            new Event.FenceFailed("s", "t", "r"));

    /** Phase, event, next phase, decisions; what is not listed changes nothing. */
    private static final String TABLE = """
            FOLLOWING Elected OPENING OpenWriter
            OPENING Deposed FOLLOWING GiveUp,Tell
            OPENING WriterOpened CATCHING_UP -
            OPENING WriterFailed PAUSING GiveUp,Tell
            CATCHING_UP Deposed FOLLOWING GiveUp,Tell
            CATCHING_UP WriterFailed PAUSING GiveUp,Tell
            CATCHING_UP ReadingAgain PAUSING GiveUp,Tell
            CATCHING_UP CaughtUp LEADING Tell
            LEADING Deposed FOLLOWING GiveUp,Tell
            LEADING WriterFailed PAUSING GiveUp,Tell
            LEADING ReadingAgain PAUSING GiveUp,Tell
            LEADING SourcesUnknown LEADING Tell
            LEADING MembersUnknown LEADING Tell
            LEADING FenceFailed LEADING Tell
            PAUSING Deposed FOLLOWING GiveUp,Tell
            """;

    @Test
    void everyEventInEveryPhase() {
        var actual = new StringBuilder();
        for (var phase : Phase.values()) {
            for (var event : EVENTS) {
                var given = Objects.requireNonNull(PHASES.get(phase)).get();
                assertThat(given.leader.phase()).isEqualTo(phase);
                given.on(event);
                var decisions = names(given.last);
                if (given.leader.phase() != phase || !decisions.equals("-")) {
                    actual.append(String.join(
                                    " ",
                                    phase.name(),
                                    event.getClass().getSimpleName(),
                                    given.leader.phase().name(),
                                    decisions))
                            .append('\n');
                }
            }
        }
        assertThat(actual.toString().lines())
                .containsExactlyInAnyOrderElementsOf(TABLE.lines().toList());
    }

    @Test
    void noEventIsForgotten() {
        assertThat(EVENTS.stream().map(Event::getClass).collect(Collectors.toSet()))
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(Event.class.getPermittedSubclasses())
                        .<Class<? extends Event>>map(type -> type.asSubclass(Event.class))
                        .toList());
    }

    private static final Map<String, Supplier<Scenario>> COURSES = new LinkedHashMap<>();
    private static final Map<String, UnaryOperator<Scenario>> HAPPENINGS = new LinkedHashMap<>();

    static {
        COURSES.put("Injecting", Scenario::started);
        COURSES.put("Placed", () -> Scenario.started().on(new Event.MarkersWritten(1, MARKERS)));
        COURSES.put("Waiting", Scenario::waiting);
        COURSES.put("Verifying", Scenario::verifying);
        COURSES.put("Ruling", () -> Scenario.waiting().after(60_000));
        COURSES.put("Resting", () -> Scenario.verifying().on(new Event.StoreFailed(1, "r")));
        COURSES.put(
                "Decided",
                () -> Scenario.verifying().on(new Event.Verified(1, List.of())).ruled(Outcome.COMPLETE, null));

        HAPPENINGS.put("written", given -> given.on(new Event.MarkersWritten(1, MARKERS)));
        HAPPENINGS.put("unwritten", given -> given.on(new Event.MarkersFailed(1, "r")));
        HAPPENINGS.put("consistent", given -> given.on(new Event.Verified(1, List.of())));
        HAPPENINGS.put("inconsistent", given -> given.on(new Event.Verified(1, List.of("wrong"))));
        HAPPENINGS.put("ruled", given -> given.ruled(Outcome.COMPLETE, null));
        HAPPENINGS.put("storeFailed", given -> given.on(new Event.StoreFailed(1, "r")));
        HAPPENINGS.put("declined", given -> given.read(new Declined(1, 1, TASK_1, "r")));
        HAPPENINGS.put("late", given -> given.after(60_000));
        HAPPENINGS.put("acknowledged", given -> given.read(acknowledged(1, TASK_0), acknowledged(1, TASK_1)));
    }

    /** Stand, happening, decisions other than to tell; what is not listed is followed by none. */
    private static final String COURSE_TABLE = """
            Injecting written Publish
            Injecting unwritten Rule
            Injecting declined Rule
            Injecting late Rule
            Placed declined Rule
            Placed late Rule
            Waiting declined Rule
            Waiting late Rule
            Waiting acknowledged Verify
            Verifying consistent Rule
            Verifying inconsistent Rule
            Ruling ruled DescribeSources,Publish
            Resting late Rule
            """;

    @Test
    void everythingAboutACheckpointAtEveryStandOfIt() {
        var actual = new StringBuilder();
        COURSES.forEach((course, scenario) -> HAPPENINGS.forEach((name, happening) -> {
            var given = happening.apply(scenario.get());
            var decisions = given.last.stream()
                    .filter(decision -> !(decision instanceof Decision.Tell))
                    .toList();
            if (!decisions.isEmpty()) {
                actual.append(String.join(" ", course, name, names(decisions))).append('\n');
            }
        }));
        assertThat(actual.toString().lines())
                .containsExactlyInAnyOrderElementsOf(COURSE_TABLE.lines().toList());
        assertThat(COURSES.keySet())
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(Course.class.getPermittedSubclasses())
                        .map(Class::getSimpleName)
                        .toList());
    }

    private static String names(List<Decision> decisions) {
        return decisions.isEmpty()
                ? "-"
                : decisions.stream()
                        .map(decision -> decision.getClass().getSimpleName())
                        .collect(Collectors.joining(","));
    }
}
