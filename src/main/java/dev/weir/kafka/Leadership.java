package dev.weir.kafka;

import java.time.Duration;

/** This process's part in the election of the leading coordinator. */
public interface Leadership extends AutoCloseable {

    /** Takes part in the election for the given time at most; must be called often. */
    void poll(Duration atMost);

    /** Whether this process leads, as far as it knows. Who acts on it must be fenced by what it writes with. */
    boolean isLeader();

    /** Gives leadership up at once. */
    @Override
    void close();
}
