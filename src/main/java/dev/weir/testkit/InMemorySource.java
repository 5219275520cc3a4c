package dev.weir.testkit;

import dev.weir.api.Headers;
import dev.weir.barrier.Marker;
import dev.weir.failure.FencedException;
import dev.weir.failure.StoppedException;
import dev.weir.kafka.GroupMember;
import dev.weir.kafka.KafkaCluster.SourceSettings;
import dev.weir.kafka.PartitionListener;
import dev.weir.kafka.Records;
import dev.weir.kafka.Source;
import dev.weir.testkit.GroupCoordinator.Group;
import dev.weir.testkit.GroupCoordinator.Member;
import dev.weir.testkit.GroupCoordinator.Standing;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A consumer: a member of a group that reads committed records of what it is given. */
final class InMemorySource implements Source {

    private static final int NONE = -1;

    private final InMemoryKafkaCluster cluster;
    private final InMemoryKafka kafka;
    private final SourceSettings settings;
    private final PartitionListener listener;
    private final Group group;
    private final Map<TopicPartition, Fetch> owned = new TreeMap<>();
    private long memberId = NONE;
    private int generation = NONE;
    private boolean joining;
    private boolean rejoinNeeded;
    private boolean closed;
    private long lastPollMillis;

    InMemorySource(InMemoryKafkaCluster cluster, SourceSettings settings, PartitionListener listener) {
        this.cluster = cluster;
        this.kafka = cluster.kafka();
        this.settings = settings;
        this.listener = listener;
        synchronized (kafka) {
            this.group = kafka.groups().group(settings.group());
        }
        this.lastPollMillis = kafka.clock().millis();
    }

    /** A membership at one moment. */
    record Membership(String group, String instance, long id, int generation) implements GroupMember {}

    /** What is known of a partition that is owned. */
    private static final class Fetch {
        private final PartitionLog log;
        private long position = NONE;
        private long knownEnd = NONE;
        private boolean paused = true;

        private Fetch(PartitionLog log) {
            this.log = log;
        }
    }

    @Override
    public List<Records> poll(Duration atMost) {
        open();
        cluster.reach("poll");
        lastPollMillis = kafka.clock().millis();
        if (kafka.isKind()) {
            kafka.tick();
        }
        takePart();
        return fetch();
    }

    // ---- the group

    private void takePart() {
        if (memberId == NONE) {
            enter();
        }
        switch (standing()) {
            case FENCED -> {
                loseAll();
                throw new FencedException("Cannot poll: another member has joined the group " + settings.group()
                        + " as instance " + settings.memberInstance());
            }
            case UNKNOWN -> {
                loseAll();
                memberId = NONE;
                generation = NONE;
                joining = false;
                rejoinNeeded = false;
                enter();
            }
            case MEMBER -> {}
        }
        beat();
        adopt();
        join();
        if (kafka.isKind()) {
            adopt();
        }
    }

    private Standing standing() {
        synchronized (kafka) {
            return kafka.groups().standing(group, settings.memberInstance(), memberId);
        }
    }

    private void enter() {
        synchronized (kafka) {
            memberId = kafka.groups().enter(group, settings.memberInstance(), settings.topics(), settings.ownedHint());
            joining = true;
            completeIfKind();
        }
    }

    private void join() {
        synchronized (kafka) {
            var member = member(group);
            if (member == null) {
                return;
            }
            boolean asked = group.preparing() && !member.joined();
            boolean notices = kafka.isKind() || joining || kafka.random().nextInt(3) > 0;
            if (rejoinNeeded || (asked && notices)) {
                rejoinNeeded = false;
                joining = true;
                kafka.groups().rejoin(group, settings.memberInstance(), owned.keySet());
            }
            completeIfKind();
        }
    }

    private void completeIfKind() {
        if (kafka.isKind() && kafka.groups().canComplete(group)) {
            kafka.groups().complete(group);
        }
    }

    private @Nullable Member member(Group of) {
        return of.member(settings.memberInstance());
    }

    /** Takes up the outcome of a rebalance, if there is a new one. */
    private void adopt() {
        Set<TopicPartition> assigned;
        synchronized (kafka) {
            var member = member(group);
            boolean waitsForJoin = group.preparing() && member != null && member.joined();
            if (member == null || member.generation() == generation || waitsForJoin) {
                return;
            }
            generation = member.generation();
            assigned = member.assigned();
            joining = false;
        }
        var revoked = new TreeSet<>(owned.keySet());
        revoked.removeAll(assigned);
        if (!revoked.isEmpty()) {
            listener.onRevoked(revoked);
            cluster.reach("revoked");
            owned.keySet().removeAll(revoked);
            rejoinNeeded = true;
        }
        var added = new TreeSet<>(assigned);
        added.removeAll(owned.keySet());
        if (!added.isEmpty()) {
            for (var partition : added) {
                owned.put(partition, new Fetch(kafka.log(partition)));
            }
            listener.onAssigned(added);
        }
    }

    private void loseAll() {
        var lost = new TreeSet<>(owned.keySet());
        generation = NONE;
        if (!lost.isEmpty()) {
            listener.onLost(lost);
            owned.clear();
        }
    }

    void beat() {
        if (memberId != NONE
                && kafka.clock().millis() - lastPollMillis
                        <= kafka.settings().maxPollInterval().toMillis()) {
            synchronized (kafka) {
                kafka.groups().beat(group, settings.memberInstance(), memberId);
            }
        }
    }

    // ---- records

    private List<Records> fetch() {
        synchronized (kafka) {
            List<Records> batches = new ArrayList<>();
            for (var entry : owned.entrySet()) {
                var fetch = entry.getValue();
                if (!fetch.paused && (kafka.isKind() || kafka.random().nextInt(4) > 0)) {
                    var batch = fetch(entry.getKey(), fetch);
                    if (batch != null) {
                        batches.add(batch);
                    }
                }
            }
            if (!kafka.isKind()) {
                shuffle(batches);
            }
            return batches;
        }
    }

    private @Nullable Records fetch(TopicPartition partition, Fetch fetch) {
        var log = fetch.log;
        if (fetch.position == NONE) {
            throw new IllegalStateException("Cannot read " + partition + ": it has no position, seek it first");
        }
        if (fetch.position < log.start() || fetch.position > log.end()) {
            throw new StoppedException(
                    "Cannot read " + partition + " at offset " + fetch.position + ": it holds offsets "
                            + log.start() + " to " + log.end()
                            + "; records were deleted before they were read, set the position by hand or restore");
        }
        int limit = kafka.settings().maxPollRecords();
        int most = kafka.isKind() ? limit : 1 + kafka.random().nextInt(limit);
        long stableEnd = log.stableEnd();
        fetch.knownEnd = stableEnd;
        List<PartitionLog.Entry> entries = new ArrayList<>();
        long next = log.nextCommitted(fetch.position);
        while (entries.size() < most && next < stableEnd) {
            entries.add(log.entry(next));
            next = log.nextCommitted(next + 1);
        }
        fetch.position = Math.max(next, fetch.position);
        return entries.isEmpty() ? null : new InMemoryRecords(partition, entries, next);
    }

    private void shuffle(List<Records> batches) {
        for (int i = batches.size() - 1; i > 0; i--) {
            int other = kafka.random().nextInt(i + 1);
            var swapped = batches.get(other);
            batches.set(other, batches.get(i));
            batches.set(i, swapped);
        }
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> of(partition).paused = true);
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> of(partition).paused = false);
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        of(partition).position = offset;
    }

    @Override
    public long position(TopicPartition partition) {
        var fetch = of(partition);
        if (fetch.position == NONE) {
            throw new IllegalStateException("Cannot tell the position of " + partition + ": it was not sought yet");
        }
        return fetch.position;
    }

    @Override
    public long knownEnd(TopicPartition partition) {
        return of(partition).knownEnd;
    }

    private Fetch of(TopicPartition partition) {
        open();
        var fetch = owned.get(partition);
        if (fetch == null) {
            throw new IllegalStateException(
                    "Cannot use " + partition + ": it is not owned, owned are " + owned.keySet());
        }
        return fetch;
    }

    @Override
    public Set<TopicPartition> owned() {
        return new TreeSet<>(owned.keySet());
    }

    @Override
    public GroupMember member() {
        return new Membership(settings.group(), settings.memberInstance(), memberId, generation);
    }

    @Override
    public boolean isRebalancing() {
        return joining || rejoinNeeded;
    }

    // ---- the end

    private void open() {
        cluster.checkAlive();
        if (closed) {
            throw new IllegalStateException("Cannot use a source that was closed");
        }
    }

    @Override
    public void leave(Duration atMost) {
        open();
        if (!owned.isEmpty()) {
            if (standing() == Standing.MEMBER) {
                listener.onRevoked(owned());
                cluster.reach("revoked");
            } else {
                listener.onLost(owned());
            }
            owned.clear();
        }
        synchronized (kafka) {
            kafka.groups().leave(group, settings.memberInstance(), memberId);
        }
        close();
    }

    @Override
    public void close() {
        if (cluster.isAlive() && !closed) {
            closed = true;
            generation = NONE;
            cluster.forget(this);
        }
    }

    /** Entries of a log as a consumer sees them. */
    record InMemoryRecords(TopicPartition partition, List<PartitionLog.Entry> entries, long nextOffset)
            implements Records {

        @Override
        public int size() {
            return entries.size();
        }

        @Override
        public long offset(int index) {
            return entries.get(index).offset();
        }

        @Override
        public long timestamp(int index) {
            return payload(index).timestamp();
        }

        @Override
        public byte @Nullable [] key(int index) {
            return payload(index).key();
        }

        @Override
        public byte @Nullable [] value(int index) {
            return payload(index).value();
        }

        @Override
        public Headers headers(int index) {
            return payload(index).headers();
        }

        @Override
        public @Nullable Marker marker(int index) {
            return payload(index).marker();
        }

        private PartitionLog.Payload payload(int index) {
            return Objects.requireNonNull(entries.get(index).payload());
        }
    }
}
