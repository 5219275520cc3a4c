package dev.weir.kafka;

import dev.weir.failure.ConfigurationException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Who of a group's members owns which tasks. Balanced within one, as little moved as balance allows, and cooperative: a task that
 * somebody still owns is nobody's in this round and goes to its new owner in the next one, after it has been revoked.
 */
public final class Assignment {

    private static final int NOBODY = -1;

    private final List<Member> members;
    private final int tasks;
    private final int floor;
    private final List<SortedSet<Integer>> given = new ArrayList<>();
    private int extras;

    private Assignment(List<Member> members, int tasks) {
        this.members = members.stream()
                .sorted(Comparator.comparing(Member::instance).thenComparing(Member::id))
                .toList();
        this.tasks = tasks;
        this.floor = tasks / members.size();
        this.extras = tasks % members.size();
        members.forEach(member -> given.add(new TreeSet<>()));
    }

    /**
     * Assigns tasks.
     *
     * @param members the group's members, at least one
     * @param tasks the number of tasks, numbered from 0
     */
    public static Result assign(List<Member> members, int tasks) {
        return new Assignment(members, tasks).result();
    }

    /**
     * The number of tasks of a processor with these inputs.
     *
     * @param partitions the number of partitions of each input
     * @throws ConfigurationException if they differ
     */
    public static int taskCount(SortedMap<String, Integer> partitions) {
        var counts = new TreeSet<>(partitions.values());
        if (counts.size() > 1) {
            throw new ConfigurationException("Cannot assign tasks: the inputs have different numbers of partitions "
                    + partitions + "; give all inputs of a processor the same number");
        }
        return counts.isEmpty() ? 0 : counts.first();
    }

    private Result result() {
        int[] owner = owners();
        keep(owner);
        fill(owner);
        return withoutThoseStillOwned();
    }

    /** For each task the member whose claim counts: the one of the highest generation, nobody if two of it claim the same. */
    private int[] owners() {
        int[] owner = new int[tasks];
        int[] generation = new int[tasks];
        java.util.Arrays.fill(owner, NOBODY);
        java.util.Arrays.fill(generation, Integer.MIN_VALUE);
        for (int m = 0; m < members.size(); m++) {
            var member = members.get(m);
            for (int task : member.owned()) {
                if (task < tasks && member.generation() >= generation[task]) {
                    owner[task] = member.generation() == generation[task] ? NOBODY : m;
                    generation[task] = member.generation();
                }
            }
        }
        return owner;
    }

    /** Leaves to each member what it owns, up to its share; those that own most get the shares that are larger by one. */
    private void keep(int[] owner) {
        var owned = new ArrayList<List<Integer>>();
        members.forEach(member -> owned.add(new ArrayList<>()));
        for (int task = 0; task < tasks; task++) {
            if (owner[task] != NOBODY) {
                owned.get(owner[task]).add(task);
            }
        }
        var byOwned = new ArrayList<Integer>();
        for (int m = 0; m < members.size(); m++) {
            byOwned.add(m);
        }
        byOwned.sort(Comparator.comparing(m -> -owned.get(m).size()));
        for (int m : byOwned) {
            int share = floor;
            if (owned.get(m).size() > floor && extras > 0) {
                share++;
                extras--;
            }
            owned.get(m)
                    .sort(Comparator.comparing((Integer task) -> worthLeaving(m, task))
                            .thenComparing(task -> task));
            given.get(m)
                    .addAll(owned.get(m).subList(0, Math.min(share, owned.get(m).size())));
        }
    }

    /** 0 if the member has the task's files, 2 if only another one has, else 1. */
    private int worthLeaving(int member, int task) {
        if (members.get(member).onDisk().contains(task)) {
            return 0;
        }
        return members.stream().anyMatch(other -> other.onDisk().contains(task)) ? 2 : 1;
    }

    private void fill(int[] owner) {
        var free = new TreeSet<Integer>();
        for (int task = 0; task < tasks; task++) {
            if (owner[task] == NOBODY || !given.get(owner[task]).contains(task)) {
                free.add(task);
            }
        }
        for (int task : List.copyOf(free)) {
            int best = roomiest(task);
            if (best != NOBODY) {
                give(best, task);
                free.remove(task);
            }
        }
        for (int task : free) {
            give(roomiest(NOBODY), task);
        }
    }

    /** The member with the fewest tasks that has room, of those that have the given task's files if one is given. */
    private int roomiest(int task) {
        int best = NOBODY;
        for (int m = 0; m < members.size(); m++) {
            boolean hasRoom = given.get(m).size() < floor || given.get(m).size() == floor && extras > 0;
            boolean fits = task == NOBODY || members.get(m).onDisk().contains(task);
            if (hasRoom
                    && fits
                    && (best == NOBODY || given.get(m).size() < given.get(best).size())) {
                best = m;
            }
        }
        return best;
    }

    private void give(int member, int task) {
        if (given.get(member).size() == floor) {
            extras--;
        }
        given.get(member).add(task);
    }

    /**
     * A claim holds a task back whatever its generation. A member that has missed a rebalance still has the task until it has joined,
     * and it commits with the new generation while it lets go; were the task given away in the same round, both would commit. A member
     * that never comes back leaves the group when its session ends, and its claims with it.
     */
    private Result withoutThoseStillOwned() {
        var claims = new HashMap<Integer, Set<Integer>>();
        for (int m = 0; m < members.size(); m++) {
            for (int task : members.get(m).owned()) {
                claims.computeIfAbsent(task, none -> new TreeSet<>()).add(m);
            }
        }
        var withheld = new TreeSet<Integer>();
        var byMember = new TreeMap<String, SortedSet<Integer>>();
        for (int m = 0; m < members.size(); m++) {
            var mine = new TreeSet<Integer>();
            for (int task : given.get(m)) {
                if (Set.of(m).containsAll(claims.getOrDefault(task, Set.of()))) {
                    mine.add(task);
                } else {
                    withheld.add(task);
                }
            }
            byMember.put(members.get(m).id(), mine);
        }
        return new Result(byMember, withheld);
    }

    /**
     * A member as it presents itself.
     *
     * @param id its member id
     * @param instance its {@code group.instance.id}, {@code ""} if it has none
     * @param generation the generation in which it owned what it owns, −1 for a newcomer
     * @param owned the tasks it owns
     * @param onDisk the tasks whose files it has
     */
    public record Member(String id, String instance, int generation, Set<Integer> owned, Set<Integer> onDisk) {}

    /**
     * The tasks of each member, by member id, and those that are withheld until their present owner has let go; then there must be
     * another round.
     */
    public record Result(SortedMap<String, SortedSet<Integer>> tasks, SortedSet<Integer> withheld) {}
}
