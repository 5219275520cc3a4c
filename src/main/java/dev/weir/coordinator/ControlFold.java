package dev.weir.coordinator;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ControlRecord.FullState;
import dev.weir.barrier.DomainState;
import dev.weir.kafka.ControlReader.Positioned;
import java.util.ArrayList;
import java.util.List;

/**
 * The domain's state folded from the control topic with regard to offsets. A {@link FullState} speaks of the records below its
 * {@code covers} only, so those that stand between there and itself are applied on top of it; and it says nothing new to who has read
 * all that it covers. Records that were read before are ignored, so a topic may be read again from its beginning.
 */
final class ControlFold {

    private DomainState state = DomainState.empty();
    private long next = 0;
    /** Whether all below {@link #next} is known; if not, the topic's beginning was gone and a full state must follow. */
    private boolean anchored;

    private boolean begun;
    private final List<Positioned> unanchored = new ArrayList<>();
    private long covers;
    private long previousCovers;
    private int sinceFullState;

    /** Applies a record; returns whether it was not read before. */
    boolean read(long offset, ControlRecord record) {
        if (!begun) {
            begun = true;
            anchored = offset == 0;
        }
        if (record instanceof FullState full) {
            return readFullState(offset, full);
        }
        if (offset < next) {
            return false;
        }
        next = offset + 1;
        state = state.after(record);
        sinceFullState++;
        if (!anchored) {
            unanchored.add(new Positioned(offset, record));
        }
        return true;
    }

    private boolean readFullState(long offset, FullState full) {
        boolean isNew = full.covers() > covers;
        if (isNew) {
            previousCovers = covers;
            covers = full.covers();
            sinceFullState = 0;
        }
        if (anchored && next >= full.covers()) {
            if (offset >= next) {
                next = offset + 1;
            }
            return isNew;
        }
        var adopted = full.state();
        for (var later : unanchored) {
            if (later.offset() >= full.covers()) {
                adopted = adopted.after(later.record());
            }
        }
        state = adopted;
        next = unanchored.isEmpty() ? full.covers() : Math.max(full.covers(), offset + 1);
        anchored = true;
        unanchored.clear();
        return true;
    }

    DomainState state() {
        return state;
    }

    /** The state holds all records below this offset. */
    long next() {
        return next;
    }

    /** What the newest full state on the topic covers, 0 if there is none. */
    long covers() {
        return covers;
    }

    /** What the one before the newest covers, 0 if there is none. */
    long previousCovers() {
        return previousCovers;
    }

    /** How many records were read since the newest full state. */
    int sinceFullState() {
        return sinceFullState;
    }
}
