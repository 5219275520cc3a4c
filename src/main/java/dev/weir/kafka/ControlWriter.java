package dev.weir.kafka;

import dev.weir.barrier.ControlRecord;
import java.util.List;

/** Writes to the control topic. */
public interface ControlWriter extends AutoCloseable {

    /** Appends records in order and waits until they are written. */
    void append(List<? extends ControlRecord> records);

    @Override
    void close();
}
