package dev.weir.testkit;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** Who leads a domain's coordination: the oldest candidate that is still heard of. */
final class Election {

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
        return !lastBeatMillis.isEmpty() && lastBeatMillis.keySet().iterator().next() == candidate;
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
