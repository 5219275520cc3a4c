package dev.weir.coordinator;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a leader must remember when its writer fails and it begins anew: deadlines, refusals, when the next checkpoint is due. */
final class Agenda {

    private final Map<Long, Long> deadlines = new TreeMap<>();
    private final Map<Long, String> declined = new TreeMap<>();
    private long nextStartMillis = Long.MIN_VALUE;

    /** The deadline of a checkpoint; the given one if it has none yet. */
    long deadline(long checkpoint, long ifNone) {
        return deadlines.computeIfAbsent(checkpoint, id -> ifNone);
    }

    void declined(long checkpoint, String reason) {
        declined.putIfAbsent(checkpoint, reason);
    }

    @Nullable
    String declined(long checkpoint) {
        return declined.get(checkpoint);
    }

    void closed(long checkpoint) {
        deadlines.remove(checkpoint);
        declined.remove(checkpoint);
    }

    /** A process was elected: it counts from now. */
    void elected() {
        deadlines.clear();
        nextStartMillis = Long.MIN_VALUE;
    }

    void startNotBefore(long millis) {
        nextStartMillis = millis;
    }

    /** When the next checkpoint is due, the given time if that is not known yet. */
    long nextStart(long ifUnknown) {
        if (nextStartMillis == Long.MIN_VALUE) {
            nextStartMillis = ifUnknown;
        }
        return nextStartMillis;
    }
}
