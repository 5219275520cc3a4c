package dev.weir.kafka;

import dev.weir.barrier.ControlRecord;
import java.time.Duration;
import java.util.List;

/** Reads the control topic from the oldest record that is needed to know everything, committed records only. */
public interface ControlReader extends AutoCloseable {

    /** The next records, if there are any within the given time. */
    List<Positioned> poll(Duration atMost);

    /** Whether all that was on the topic when this is called has been returned by {@link #poll}. */
    boolean isAtEnd();

    @Override
    void close();

    /** A record and its offset. */
    record Positioned(long offset, ControlRecord record) {}
}
