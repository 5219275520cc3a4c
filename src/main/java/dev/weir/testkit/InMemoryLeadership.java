package dev.weir.testkit;

import dev.weir.kafka.Leadership;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** A candidate for the lead. What it believes may be out of date. */
final class InMemoryLeadership implements Leadership {

    private static final long NONE = -1;

    private final InMemoryKafkaCluster cluster;
    private final InMemoryKafka kafka;
    private final Election election;
    private long candidate = NONE;
    private boolean leader;
    private boolean closed;
    private long lastPollMillis;

    InMemoryLeadership(InMemoryKafkaCluster cluster) {
        this.cluster = cluster;
        this.kafka = cluster.kafka();
        this.election = kafka.election(cluster.domain());
        this.lastPollMillis = kafka.clock().millis();
    }

    @Override
    public void poll(Duration atMost) {
        cluster.checkAlive();
        if (closed) {
            throw new IllegalStateException("Cannot take part in the election: leadership was given up");
        }
        cluster.reach("poll the election");
        lastPollMillis = kafka.clock().millis();
        if (kafka.isKind()) {
            kafka.tick();
        }
        synchronized (kafka) {
            if (candidate == NONE || !election.knows(candidate)) {
                candidate = election.enter();
            }
            election.beat(candidate);
            leader = election.leads(candidate);
        }
    }

    void beat() {
        if (candidate != NONE
                && kafka.clock().millis() - lastPollMillis
                        <= kafka.settings().maxPollInterval().toMillis()) {
            election.beat(candidate);
        }
    }

    @Override
    public boolean isLeader() {
        return leader;
    }

    @Override
    public void close() {
        if (cluster.isAlive() && !closed) {
            closed = true;
            leader = false;
            cluster.forget(this);
            synchronized (kafka) {
                election.leave(candidate);
            }
        }
    }

    /** Who leads a domain's coordination: the oldest candidate that is still heard of. */
    static final class Election {

        private final Map<Long, Long> lastBeatMillis = new LinkedHashMap<>();
        private final LongSupplier nowMillis;
        private long lastCandidate;

        Election(LongSupplier nowMillis) {
            this.nowMillis = nowMillis;
        }

        long enter() {
            lastBeatMillis.put(++lastCandidate, nowMillis.getAsLong());
            return lastCandidate;
        }

        boolean knows(long candidate) {
            return lastBeatMillis.containsKey(candidate);
        }

        boolean leads(long candidate) {
            return !lastBeatMillis.isEmpty()
                    && lastBeatMillis.keySet().iterator().next() == candidate;
        }

        void beat(long candidate) {
            lastBeatMillis.computeIfPresent(candidate, (c, before) -> nowMillis.getAsLong());
        }

        void leave(long candidate) {
            lastBeatMillis.remove(candidate);
        }

        void expire(Duration session) {
            long now = nowMillis.getAsLong();
            lastBeatMillis.values().removeIf(beat -> now - beat > session.toMillis());
        }
    }
}
