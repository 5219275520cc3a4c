package dev.weir.testkit;

import dev.weir.kafka.Assignment;
import dev.weir.kafka.CommittedPosition;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Consumer groups of static members under the classic protocol, with a cooperative assignment. */
final class GroupCoordinator {

    /** What a member is told. */
    enum Standing {
        MEMBER,
        /** It has been dropped. */
        UNKNOWN,
        /** Another member of the same instance id has taken its place. */
        FENCED
    }

    /** A member as the coordinator sees it. */
    static final class Member {
        private final String instance;
        private long id;
        private List<String> topics = List.of();
        private Set<Integer> hint = Set.of();
        private Set<TopicPartition> owned = Set.of();
        private Set<TopicPartition> assigned = Set.of();
        private boolean withheld;
        private boolean joined;
        private int generation = -1;
        private long lastBeatMillis;

        private Member(String instance) {
            this.instance = instance;
        }

        int generation() {
            return generation;
        }

        boolean joined() {
            return joined;
        }

        Set<TopicPartition> assigned() {
            return assigned;
        }
    }

    /** A group. */
    static final class Group {
        private final String name;
        private final Map<String, Member> members = new TreeMap<>();
        private final Map<TopicPartition, CommittedAt> positions = new TreeMap<>();
        private final Map<Long, Map<TopicPartition, CommittedAt>> pending = new LinkedHashMap<>();
        private int generation;
        private boolean preparing;
        private long preparingSinceMillis;

        private Group(String name) {
            this.name = name;
        }

        boolean preparing() {
            return preparing;
        }

        String name() {
            return name;
        }

        @Nullable
        Member member(String instance) {
            return members.get(instance);
        }
    }

    private final Map<String, Group> groups = new LinkedHashMap<>();
    private final LongSupplier nowMillis;
    private final ToIntFunction<String> partitionsOf;
    private long lastMemberId;
    private long commits;

    GroupCoordinator(LongSupplier nowMillis, ToIntFunction<String> partitionsOf) {
        this.nowMillis = nowMillis;
        this.partitionsOf = partitionsOf;
    }

    Group group(String name) {
        var group = groups.get(name);
        if (group == null) {
            group = new Group(name);
            groups.put(name, group);
        }
        return group;
    }

    Collection<Group> groups() {
        return groups.values();
    }

    Standing standing(Group group, String instance, long id) {
        var member = group.members.get(instance);
        if (member == null) {
            return Standing.UNKNOWN;
        }
        return member.id == id ? Standing.MEMBER : Standing.FENCED;
    }

    /** Joins for the first time since the client was opened or dropped; returns the member's id. */
    long enter(Group group, String instance, List<String> topics, Set<Integer> hint) {
        long id = ++lastMemberId;
        var member = group.members.get(instance);
        if (member == null) {
            member = new Member(instance);
            group.members.put(instance, member);
            prepare(group);
            member.joined = true;
        } else if (group.preparing) {
            member.joined = true;
        } else if (!member.topics.equals(topics) || member.withheld) {
            prepare(group);
            member.joined = true;
        }
        member.id = id;
        member.topics = List.copyOf(topics);
        member.hint = Set.copyOf(hint);
        member.owned = Set.of();
        member.lastBeatMillis = nowMillis.getAsLong();
        return id;
    }

    /** Takes part in a rebalance, or asks for one. */
    void rejoin(Group group, String instance, Set<TopicPartition> owned) {
        var member = group.members.get(instance);
        if (member != null) {
            if (!group.preparing) {
                prepare(group);
            }
            member.joined = true;
            member.owned = new LinkedHashSet<>(owned);
        }
    }

    void beat(Group group, String instance, long id) {
        var member = group.members.get(instance);
        if (member != null && member.id == id) {
            member.lastBeatMillis = nowMillis.getAsLong();
        }
    }

    void leave(Group group, String instance, long id) {
        var member = group.members.get(instance);
        if (member != null && member.id == id) {
            drop(group, instance);
        }
    }

    /** Drops members that have not been heard of, or that keep a rebalance waiting for too long. */
    void expire(long sessionMillis, long rebalanceMillis) {
        long now = nowMillis.getAsLong();
        for (var group : groups.values()) {
            boolean late = group.preparing && now - group.preparingSinceMillis > rebalanceMillis;
            List<String> gone = new ArrayList<>();
            for (var member : group.members.values()) {
                if (now - member.lastBeatMillis > sessionMillis || (late && !member.joined)) {
                    gone.add(member.instance);
                }
            }
            for (String instance : gone) {
                drop(group, instance);
            }
        }
    }

    private void drop(Group group, String instance) {
        group.members.remove(instance);
        if (!group.preparing) {
            prepare(group);
        }
    }

    private void prepare(Group group) {
        group.preparing = true;
        group.preparingSinceMillis = nowMillis.getAsLong();
        group.members.values().forEach(member -> member.joined = false);
    }

    boolean canComplete(Group group) {
        if (!group.preparing) {
            return false;
        }
        for (var member : group.members.values()) {
            if (!member.joined) {
                return false;
            }
        }
        return true;
    }

    /** Ends a rebalance that all members have joined: a new generation, and everyone's new partitions. */
    void complete(Group group) {
        group.preparing = false;
        group.generation++;
        List<Assignment.Member> claims = new ArrayList<>();
        int tasks = 0;
        for (var member : group.members.values()) {
            var owned = new TreeSet<Integer>();
            member.owned.forEach(partition -> owned.add(partition.partition()));
            claims.add(new Assignment.Member(member.instance, member.instance, member.generation, owned, member.hint));
            for (String topic : member.topics) {
                tasks = Math.max(tasks, partitionsOf.applyAsInt(topic));
            }
        }
        if (claims.isEmpty()) {
            return;
        }
        var shares = Assignment.assign(claims, tasks).tasks();
        for (var member : group.members.values()) {
            Set<Integer> share = shares.getOrDefault(member.instance, Collections.emptySortedSet());
            member.assigned = partitions(member.topics, share);
            member.withheld = !member.assigned.containsAll(member.owned);
            member.generation = group.generation;
            member.joined = false;
        }
    }

    private Set<TopicPartition> partitions(List<String> topics, Set<Integer> share) {
        Set<TopicPartition> partitions = new LinkedHashSet<>();
        for (String topic : topics) {
            int count = partitionsOf.applyAsInt(topic);
            for (int number : share) {
                if (number < count) {
                    partitions.add(new TopicPartition(topic, number));
                }
            }
        }
        return partitions;
    }

    /** Why this member may not commit in this generation, or null if it may. */
    @Nullable
    String refusal(Group group, String instance, long id, int generation) {
        return switch (standing(group, instance, id)) {
            case UNKNOWN -> "the member is not known to the group any more";
            case FENCED -> "another member of the instance " + instance + " has taken over";
            case MEMBER ->
                generation == group.generation
                        ? null
                        : "generation " + generation + " is over, now it is " + group.generation;
        };
    }

    long nextCommit() {
        return ++commits;
    }

    void pend(String name, long producerId, Map<TopicPartition, CommittedAt> positions) {
        group(name)
                .pending
                .computeIfAbsent(producerId, p -> new LinkedHashMap<>())
                .putAll(positions);
    }

    void land(String name, long producerId, boolean committed) {
        var group = group(name);
        var positions = group.pending.remove(producerId);
        if (positions != null && committed) {
            positions.forEach(
                    (partition, at) -> group.positions.merge(partition, at, (a, b) -> a.order() > b.order() ? a : b));
        }
    }

    boolean isUnstable(Group group, Set<TopicPartition> partitions) {
        for (var positions : group.pending.values()) {
            for (var partition : positions.keySet()) {
                if (partitions.contains(partition)) {
                    return true;
                }
            }
        }
        return false;
    }

    Map<TopicPartition, CommittedPosition> positions(Group group) {
        var positions = new TreeMap<TopicPartition, CommittedPosition>();
        group.positions.forEach((partition, at) -> positions.put(partition, at.position()));
        return positions;
    }

    void setPosition(Group group, TopicPartition partition, CommittedPosition position) {
        group.positions.put(partition, new CommittedAt(position, nextCommit()));
    }

    void clearPosition(Group group, TopicPartition partition) {
        group.positions.remove(partition);
    }

    Set<String> instances(Group group) {
        return new TreeSet<>(group.members.keySet());
    }

    /** A position and where in the order of all commits it was written; of two for one partition the later one counts. */
    record CommittedAt(CommittedPosition position, long order) {}
}
