package dev.weir.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Shares task numbers among members: evenly, and as they were where that is possible. */
final class StickyTasks {

    private StickyTasks() {}

    /** What a member has and would like. */
    record Claim(Set<Integer> owned, Set<Integer> hint) {}

    /** Who should have which task in the end. */
    static Map<String, Set<Integer>> target(int tasks, SortedMap<String, Claim> claims) {
        Map<String, Set<Integer>> target = new LinkedHashMap<>();
        claims.keySet().forEach(member -> target.put(member, new TreeSet<>()));
        if (claims.isEmpty()) {
            return target;
        }
        int floor = tasks / claims.size();
        int above = tasks % claims.size();
        var free = new TreeSet<Integer>();
        for (int task = 0; task < tasks; task++) {
            free.add(task);
        }
        above = keep(claims, target, free, floor, above);
        give(claims, target, free, floor, above);
        return target;
    }

    private static int keep(
            SortedMap<String, Claim> claims,
            Map<String, Set<Integer>> target,
            Set<Integer> free,
            int floor,
            int aboveFloor) {
        int above = aboveFloor;
        for (var claim : claims.entrySet()) {
            var mine = tasksOf(target, claim.getKey());
            for (int task : byHint(claim.getValue(), claims)) {
                boolean fits = mine.size() < floor || (mine.size() == floor && above > 0);
                if (fits && free.remove(task)) {
                    mine.add(task);
                    if (mine.size() > floor) {
                        above--;
                    }
                }
            }
        }
        return above;
    }

    /** What a member owns, first what no other member asks for. */
    private static List<Integer> byHint(Claim claim, SortedMap<String, Claim> claims) {
        List<Integer> first = new ArrayList<>();
        List<Integer> last = new ArrayList<>();
        for (int task : new TreeSet<>(claim.owned())) {
            boolean wanted = !claim.hint().contains(task)
                    && claims.values().stream().anyMatch(other -> other.hint().contains(task));
            (wanted ? last : first).add(task);
        }
        first.addAll(last);
        return first;
    }

    private static void give(
            SortedMap<String, Claim> claims,
            Map<String, Set<Integer>> target,
            TreeSet<Integer> free,
            int floor,
            int aboveFloor) {
        int above = aboveFloor;
        for (int task : List.copyOf(free)) {
            List<String> candidates = new ArrayList<>();
            for (var entry : target.entrySet()) {
                if (entry.getValue().size() < floor) {
                    candidates.add(entry.getKey());
                }
            }
            if (candidates.isEmpty()) {
                for (var entry : target.entrySet()) {
                    if (entry.getValue().size() == floor && above > 0) {
                        candidates.add(entry.getKey());
                    }
                }
            }
            String best = candidates.get(0);
            for (String candidate : candidates) {
                var claim = claims.get(candidate);
                if (claim != null && claim.hint().contains(task)) {
                    best = candidate;
                    break;
                }
            }
            var mine = tasksOf(target, best);
            mine.add(task);
            if (mine.size() > floor) {
                above--;
            }
        }
    }

    private static Set<Integer> tasksOf(Map<String, Set<Integer>> target, String member) {
        return target.computeIfAbsent(member, m -> new TreeSet<>());
    }

    /** The target, without what another member still owns. */
    static Map<String, Set<Integer>> cooperative(int tasks, SortedMap<String, Claim> claims) {
        var target = target(tasks, claims);
        var owners = new TreeMap<Integer, String>();
        claims.forEach((member, claim) -> claim.owned().forEach(task -> owners.put(task, member)));
        target.forEach((member, mine) ->
                mine.removeIf(task -> !owners.getOrDefault(task, member).equals(member)));
        return target;
    }
}
