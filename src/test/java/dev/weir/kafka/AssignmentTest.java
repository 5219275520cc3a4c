package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.ConfigurationException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AssignmentTest {

    @Test
    void newcomersShareAllTasksEvenly() {
        var result = Assignment.assign(List.of(newcomer("a"), newcomer("b"), newcomer("c")), 8);

        assertThat(result.withheld()).isEmpty();
        assertThat(result.tasks().values()).extracting(Set::size).containsExactly(3, 3, 2);
    }

    @Test
    void whatSomebodyStillOwnsIsNobodysInTheFirstRound() {
        var result = Assignment.assign(List.of(member("a", 4, Set.of(0, 1, 2, 3)), newcomer("b")), 4);

        assertThat(of(result, "a")).containsExactly(0, 1);
        assertThat(of(result, "b")).isEmpty();
        assertThat(result.withheld()).containsExactly(2, 3);
    }

    @Test
    void aClaimOfAnOlderGenerationHoldsItsTaskBackUntilItsOwnerHasLetGo() {
        var behind = member("a", 3, Set.of(0, 1, 2, 3));
        var result = Assignment.assign(List.of(behind, member("b", 4, Set.of(4, 5)), newcomer("c")), 6);

        assertThat(of(result, "a")).containsExactly(0, 1);
        assertThat(of(result, "b")).containsExactly(4, 5);
        assertThat(of(result, "c")).isEmpty();
        assertThat(result.withheld()).containsExactly(2, 3);
    }

    @Test
    void aTaskThatTwoOfOneGenerationClaimIsWithheldFromBoth() {
        var result = Assignment.assign(List.of(member("a", 4, Set.of(0)), member("b", 4, Set.of(0))), 1);

        assertThat(result.withheld()).containsExactly(0);
        assertThat(result.tasks().values()).allMatch(Set::isEmpty);
    }

    @Test
    void aFreeTaskGoesToWhoHasItsFiles() {
        var a = new Assignment.Member("a", "a", -1, Set.of(), Set.of(3, 1));
        var b = new Assignment.Member("b", "b", -1, Set.of(), Set.of(0, 2));

        var result = Assignment.assign(List.of(a, b), 4);

        assertThat(of(result, "a")).containsExactly(1, 3);
        assertThat(of(result, "b")).containsExactly(0, 2);
    }

    @Test
    void whoMustGiveSomethingUpGivesWhatAnotherHasTheFilesOf() {
        var a = new Assignment.Member("a", "a", 4, Set.of(0, 1, 2, 3), Set.of(0, 3));
        var b = new Assignment.Member("b", "b", -1, Set.of(), Set.of(1, 2, 3));

        assertThat(of(Assignment.assign(List.of(a, b), 4), "a")).containsExactly(0, 3);
    }

    @Test
    void tasksThatAreGoneAreNotClaimed() {
        var result = Assignment.assign(List.of(member("a", 4, Set.of(0, 7))), 2);

        assertThat(of(result, "a")).containsExactly(0, 1);
    }

    @Test
    void inputsWithDifferentNumbersOfPartitionsAreRefused() {
        assertThat(Assignment.taskCount(new TreeMap<>(Map.of("x", 3, "y", 3)))).isEqualTo(3);
        assertThatThrownBy(() -> Assignment.taskCount(new TreeMap<>(Map.of("x", 3, "y", 4))))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("x=3")
                .hasMessageContaining("y=4");
    }

    /** A group lives through members that come, go, die and come back; after each change it settles in two rounds at most. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void aGroupSettlesBalancedAndMovesOnlyWhatItMust(long seed) {
        var random = new Random(seed);
        for (int run = 0; run < 20; run++) {
            var group = new Group(1 + random.nextInt(40));
            group.join("m0", Set.of());
            group.settle();
            for (int step = 0; step < 15; step++) {
                var before = group.snapshot();
                if (group.owned.size() > 1 && random.nextInt(3) == 0) {
                    group.owned.remove(List.copyOf(group.owned.keySet()).get(random.nextInt(group.owned.size())));
                } else {
                    var hint = new TreeSet<Integer>();
                    random.ints(random.nextInt(5), 0, group.tasks).forEach(hint::add);
                    group.join("m" + random.nextInt(12), hint);
                }
                group.settle();
                group.assertSettled();
                group.assertOnlyWhatMustMoved(before);
            }
        }
    }

    /** The checks above fail for an assignment that is not what they ask for. */
    @Test
    void theChecksOfTheGroupCanFail() {
        var unbalanced = new Group(4);
        unbalanced.owned.put("a", new TreeSet<>(Set.of(0, 1, 2)));
        unbalanced.owned.put("b", new TreeSet<>(Set.of(3)));
        assertThatThrownBy(unbalanced::assertSettled).isInstanceOf(AssertionError.class);

        var twice = new Group(2);
        twice.owned.put("a", new TreeSet<>(Set.of(0)));
        twice.owned.put("b", new TreeSet<>(Set.of(0)));
        assertThatThrownBy(twice::assertSettled).isInstanceOf(AssertionError.class);

        var moved = new Group(2);
        moved.owned.put("a", new TreeSet<>(Set.of(1)));
        moved.owned.put("b", new TreeSet<>(Set.of(0)));
        var before = new TreeMap<String, Set<Integer>>(Map.of("a", Set.of(0), "b", Set.of(1)));
        assertThatThrownBy(() -> moved.assertOnlyWhatMustMoved(before)).isInstanceOf(AssertionError.class);
    }

    private static Assignment.Member newcomer(String id) {
        return member(id, -1, Set.of());
    }

    private static Assignment.Member member(String id, int generation, Set<Integer> owned) {
        return new Assignment.Member(id, id, generation, owned, Set.of());
    }

    private static SortedSet<Integer> of(Assignment.Result result, String member) {
        return result.tasks().getOrDefault(member, new TreeSet<>());
    }

    /** A group as the coordinator and its members keep it. */
    private static final class Group {
        final int tasks;
        final TreeMap<String, SortedSet<Integer>> owned = new TreeMap<>();
        final TreeMap<String, Set<Integer>> hints = new TreeMap<>();
        int generation;

        Group(int tasks) {
            this.tasks = tasks;
        }

        void join(String id, Set<Integer> hint) {
            owned.putIfAbsent(id, new TreeSet<>());
            hints.put(id, hint);
        }

        TreeMap<String, Set<Integer>> snapshot() {
            var copy = new TreeMap<String, Set<Integer>>();
            owned.forEach((member, mine) -> copy.put(member, Set.copyOf(mine)));
            return copy;
        }

        void settle() {
            int rounds = 0;
            Assignment.Result result;
            do {
                rounds++;
                var members = new ArrayList<Assignment.Member>();
                owned.forEach((id, mine) -> members.add(new Assignment.Member(
                        id, id, mine.isEmpty() ? -1 : generation, Set.copyOf(mine), hints.getOrDefault(id, Set.of()))));
                result = Assignment.assign(members, tasks);
                generation++;
                var mineNow = result.tasks();
                // Whoever gets a task must not get it before its owner has let go.
                mineNow.forEach((id, now) -> owned.forEach((other, had) -> assertThat(
                                id.equals(other) || now.stream().noneMatch(had::contains))
                        .isTrue()));
                mineNow.forEach((id, now) -> owned.put(id, new TreeSet<>(now)));
            } while (!result.withheld().isEmpty());
            assertThat(rounds).isLessThanOrEqualTo(2);
        }

        void assertSettled() {
            var all = new ArrayList<Integer>();
            owned.values().forEach(all::addAll);
            assertThat(all).hasSize(tasks).doesNotHaveDuplicates();
            int most = owned.values().stream().mapToInt(Set::size).max().orElse(0);
            int least = owned.values().stream().mapToInt(Set::size).min().orElse(0);
            assertThat(most - least).isLessThanOrEqualTo(1);
        }

        /** Nobody gives up more than what it has above its share, and what is given up is what others lack. */
        void assertOnlyWhatMustMoved(Map<String, Set<Integer>> before) {
            int larger = tasks % owned.size();
            int share = tasks / owned.size();
            int mustMove = 0;
            var sizes = new ArrayList<Integer>();
            owned.keySet()
                    .forEach(id -> sizes.add(before.getOrDefault(id, Set.of()).size()));
            sizes.sort((x, y) -> y - x);
            for (int i = 0; i < sizes.size(); i++) {
                mustMove += Math.max(0, sizes.get(i) - (i < larger ? share + 1 : share));
            }
            int moved = 0;
            for (var each : owned.entrySet()) {
                var lost = new HashSet<>(before.getOrDefault(each.getKey(), Set.of()));
                lost.removeAll(each.getValue());
                moved += lost.size();
            }
            assertThat(moved).isEqualTo(mustMove);
        }
    }
}
