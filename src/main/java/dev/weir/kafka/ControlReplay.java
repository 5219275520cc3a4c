package dev.weir.kafka;

import dev.weir.barrier.ControlRecord;
import dev.weir.failure.StoppedException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which records of the control topic to hand on so that folding them gives the same as folding all that were ever written.
 *
 * <p>At first the log is only looked through, up to its end, for the full state that covers most; what it covers is dropped. Then that
 * state comes first (at the offset below the one that it covers, for which it stands) and after it every record from there on. Full
 * states that come later say nothing new and are passed over.
 */
final class ControlReplay {

    private final String topic;
    private final long begin;
    private final List<ControlReader.Positioned> found = new ArrayList<>();
    private ControlRecord.@Nullable FullState full;
    private boolean looking = true;

    /** Begins at the log's first offset. */
    ControlReplay(String topic, long begin) {
        this.topic = topic;
        this.begin = begin;
    }

    boolean isLooking() {
        return looking;
    }

    /** The next record of the log; what is to be handed on of it is taken with {@link #take}. */
    void accept(long offset, ControlRecord record) {
        if (record instanceof ControlRecord.FullState state) {
            if (looking && state.covers() >= begin && (full == null || state.covers() >= full.covers())) {
                full = state;
                found.removeIf(earlier -> earlier.offset() < state.covers());
            }
        } else if (full == null || offset >= full.covers()) {
            found.add(new ControlReader.Positioned(offset, record));
        }
    }

    /** The end that the log had when looking began has been reached. */
    void endReached() {
        if (looking && full == null && begin > 0) {
            throw new StoppedException("Cannot read the control topic " + topic + ": it begins at offset " + begin
                    + " and no full state covers what was deleted below. Its retention must be unlimited; restore the domain"
                    + " to its last complete checkpoint");
        }
        looking = false;
        if (full != null) {
            found.add(0, new ControlReader.Positioned(full.covers() - 1, full));
        }
        full = null;
    }

    /** What is to be handed on now. */
    List<ControlReader.Positioned> take() {
        if (looking) {
            return List.of();
        }
        var taken = List.copyOf(found);
        found.clear();
        return taken;
    }
}
