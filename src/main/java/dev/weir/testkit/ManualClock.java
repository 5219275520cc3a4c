package dev.weir.testkit;

import dev.weir.time.Clock;
import java.time.Duration;

/** A clock that stands until it is moved. */
public final class ManualClock implements Clock {

    private static final long START_WALL_MILLIS = 1_700_000_000_000L;

    private volatile long nanos;
    private volatile long wallAheadMillis = START_WALL_MILLIS;

    @Override
    public long wallMillis() {
        return wallAheadMillis + millis();
    }

    @Override
    public long nanos() {
        return nanos;
    }

    /** Moves both clocks forward. */
    public void advance(Duration time) {
        advanceMillis(time.toMillis());
    }

    /** Moves both clocks forward by milliseconds. */
    public void advanceMillis(long millis) {
        if (millis < 0) {
            throw new IllegalArgumentException("Cannot move a clock by " + millis + " ms: time does not run backwards");
        }
        nanos += millis * 1_000_000L;
    }

    /** Sets the wall clock ahead, or back, as an operator might; the monotonic clock stays. */
    public void jumpWall(Duration time) {
        wallAheadMillis += time.toMillis();
    }
}
