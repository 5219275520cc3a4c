package dev.weir.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ControlRecord.CheckpointAbandoned;
import dev.weir.barrier.ControlRecord.CheckpointCompleted;
import dev.weir.barrier.ControlRecord.CheckpointStarted;
import dev.weir.barrier.ManifestRef;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each judge of the torture fails when it should (I13). */
class CheckersTest {

    private static final int ITEMS = 10;
    /** Behind item 7, which is not followed by the item that belongs to it: offsets go by two, as if markers stood between. */
    private static final long POSITION = 14;

    private final Oracle oracle = new Oracle(List.of(items(0), items(1)));

    /** What can happen to a log. */
    @SuppressWarnings("ImmutableEnumChecker") // The deeds remember nothing.
    enum Mistake {
        DROPPED(log -> log.remove(3)),
        DROPPED_AT_THE_END(log -> log.remove(log.size() - 1)),
        DOUBLED(log -> log.add(5, log.get(4))),
        DOUBLED_AT_THE_END(log -> log.add(log.get(log.size() - 1))),
        SWAPPED(log -> Collections.swap(log, 1, 2)),
        ALTERED(log -> log.set(4, log.get(4).replace(',', ';'))),
        INVENTED(log -> log.add(0, "0,0,0,k0,1,1"));

        private final Consumer<List<String>> deed;

        Mistake(Consumer<List<String>> deed) {
            this.deed = deed;
        }
    }

    private static List<Oracle.Placed> items(int partition) {
        var items = new ArrayList<Oracle.Placed>();
        for (int i = 0; i < ITEMS; i++) {
            long amount = 10L + i / 2;
            items.add(new Oracle.Placed(2L * i, new Item(partition, i, "k" + i % 3, i % 2 == 0 ? -amount : amount)));
        }
        return items;
    }

    private List<List<String>> outputs() {
        var outputs = new ArrayList<List<String>>();
        for (int partition = 0; partition < 2; partition++) {
            outputs.add(new ArrayList<>(oracle.postings(partition, POSITION).stream()
                    .map(Posting::text)
                    .toList()));
        }
        return outputs;
    }

    private static Map<Integer, Long> positions() {
        return Map.of(0, POSITION, 1, POSITION);
    }

    @Test
    void rightOutputsAreRight() {
        assertThat(Checkers.outputs(oracle, positions(), outputs())).isEmpty();
        assertThat(outputs().get(0)).hasSize(7);
        assertThat(Posting.parse(outputs().get(0).get(4))).isEqualTo(new Posting(0, 8, 4, "k1", new Account(2, -2)));
    }

    @ParameterizedTest
    @EnumSource
    void outputsWithAMistakeAreWrong(Mistake mistake) {
        var outputs = outputs();
        mistake.deed.accept(outputs.get(1));

        assertThat(Checkers.outputs(oracle, positions(), outputs))
                .singleElement()
                .asString()
                .contains("partition 1");
    }

    @Test
    void outputsAndPositionsMustEndTogether() {
        assertThat(Checkers.outputs(oracle, Map.of(0, POSITION, 1, POSITION - 2), outputs()))
                .singleElement()
                .asString()
                .contains("too many");
        assertThat(Checkers.outputs(oracle, Map.of(0, POSITION + 1, 1, POSITION), outputs()))
                .singleElement()
                .asString()
                .contains("1 are missing");
    }

    @ParameterizedTest
    @EnumSource
    void anObserverThatSawSomethingElseIsNoticed(Mistake mistake) {
        var seen = outputs();
        mistake.deed.accept(seen.get(0));

        assertThat(Checkers.sameLog(seen, outputs())).singleElement().asString().startsWith("I2");
        assertThat(Checkers.sameLog(outputs(), outputs())).isEmpty();
    }

    @Test
    void anInputThatIsNotWhatWasSentIsNoticed() {
        var gap = new ArrayList<>(items(0));
        gap.remove(4);

        assertThat(Checkers.input(oracle, 2L * ITEMS)).isEmpty();
        assertThat(Checkers.input(oracle, 2L * ITEMS + 1)).isNotEmpty();
        assertThat(Checkers.input(new Oracle(List.of(gap)), ITEMS - 1L)).isNotEmpty();
    }

    @Test
    void aStateOfAnotherPrefixIsWrong() {
        var right = oracle.accounts(0, POSITION);

        assertThat(Checkers.state("it", oracle, 0, POSITION, right)).isEmpty();
        assertThat(Checkers.state("it", oracle, 0, POSITION + 2, right)).hasSize(2);
        assertThat(Checkers.state("it", oracle, 0, POSITION - 2, right)).hasSize(2);
    }

    @Test
    void anAlteredOrLostAccountIsWrong() {
        var altered = new TreeMap<>(oracle.accounts(0, POSITION));
        altered.computeIfPresent("k1", (key, account) -> new Account(account.count(), account.sum() + 1));
        var lost = new TreeMap<>(oracle.accounts(0, POSITION));
        lost.remove("k2");

        assertThat(Checkers.state("it", oracle, 0, POSITION, altered))
                .satisfiesExactly(state -> assertThat(state).startsWith("I6"), sum -> assertThat(sum)
                        .startsWith("I7"));
        assertThat(Checkers.state("it", oracle, 0, POSITION, lost)).isNotEmpty();
    }

    @Test
    void decisionsThatContradictEachOtherAreWrong() {
        var store = Map.of(1L, Outcome.COMPLETE, 2L, Outcome.ABANDONED);
        List<ControlRecord> right = List.of(started(1), completed(1), started(2), new CheckpointAbandoned(2, "late"));

        assertThat(Checkers.decisions(right, store)).isEmpty();
        assertThat(Checkers.decisions(right, Map.of(1L, Outcome.COMPLETE))).hasSize(1);
        assertThat(Checkers.decisions(List.of(started(2), started(1)), store)).hasSize(1);
        assertThat(Checkers.decisions(List.of(started(1), completed(1), completed(1)), store))
                .isNotEmpty();
        assertThat(Checkers.decisions(List.of(started(1), completed(1), new CheckpointAbandoned(1, "late")), store))
                .isNotEmpty();
    }

    private static ControlRecord started(long id) {
        return new CheckpointStarted(id, 1, 0, Set.of(), Set.of());
    }

    private static ControlRecord completed(long id) {
        return new CheckpointCompleted(id, new ManifestRef("d/checkpoints/" + id, "00"));
    }

    @Test
    void aRecordWithAnotherBitIsNotRead() {
        var item = new Item(1, 2, "k", 3).text();

        assertThat(Item.parse(item)).isEqualTo(new Item(1, 2, "k", 3));
        assertThatThrownBy(() -> Item.parse(item.replace("k", "l"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Posting.parse(item)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPlanIsTheSeedsOwnAndThirtySeedsHoldAllThatIsWanted() {
        assertThat(Plan.of(7, 3)).isEqualTo(Plan.of(7, 3)).isNotEqualTo(Plan.of(8, 3));
        var counts = new Tally();
        for (long seed = 1; seed <= 30; seed++) {
            Plan.of(seed, 3)
                    .steps()
                    .forEach(step -> counts.add(
                            step.kind() == Plan.Kind.POINT
                                    ? "POINT " + step.number()
                                    : step.kind().name(),
                            1));
        }
        assertThat(counts.of("KILL")).isGreaterThanOrEqualTo(200);
        assertThat(counts.of("ZOMBIE")).isGreaterThanOrEqualTo(50);
        assertThat(counts.of("LOST_COMMIT")).isGreaterThanOrEqualTo(50);
        assertThat(counts.of("STORE")).isGreaterThanOrEqualTo(100);
        for (int point = 0; point < Point.values().length; point++) {
            assertThat(counts.of("POINT " + point)).isGreaterThanOrEqualTo(10);
        }
    }
}
