package dev.weir.coordinator;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ControlRecord.CheckpointAbandoned;
import dev.weir.barrier.ControlRecord.CheckpointCompleted;
import dev.weir.barrier.ControlRecord.CheckpointStarted;
import dev.weir.barrier.ControlRecord.FullState;
import dev.weir.barrier.ControlRecord.TaskAdmitted;
import dev.weir.barrier.DomainState;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.topology.TaskId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Checks every record that is put on a control topic against all before it and against the object store. */
final class TopicAudit {

    private final Map<Long, Outcome> store;
    private final List<ControlRecord> topic = new ArrayList<>();
    private final Set<Long> decided = new HashSet<>();
    private final Set<TaskId> admitted = new HashSet<>();
    private final Map<Integer, DomainState> stateBelow = new HashMap<>();
    private DomainState state = DomainState.empty();

    TopicAudit(Map<Long, Outcome> store) {
        this.store = store;
    }

    void append(ControlRecord record) {
        if (record instanceof CheckpointStarted started) {
            require(started.checkpoint() > state.highestStarted(), record, "its id is not above all before");
            require(state.open().isEmpty(), record, "another one is open");
            require(
                    started.tasks().equals(admitted),
                    record,
                    "it does not list exactly the admitted tasks " + admitted);
        } else if (record instanceof CheckpointCompleted completed) {
            var open = state.open().get(completed.checkpoint());
            require(decided.add(completed.checkpoint()), record, "it was decided before");
            require(open != null, record, "it is not open");
            require(Objects.requireNonNull(open).isAcknowledged(), record, "not all tasks have acknowledged");
            require(open.markers() != null, record, "its markers are not published");
            require(store.get(completed.checkpoint()) == Outcome.COMPLETE, record, "the store says otherwise");
        } else if (record instanceof CheckpointAbandoned abandoned) {
            require(decided.add(abandoned.checkpoint()), record, "it was decided before");
            require(store.get(abandoned.checkpoint()) == Outcome.ABANDONED, record, "the store says otherwise");
        } else if (record instanceof TaskAdmitted task) {
            require(admitted.add(task.task()), record, "it was admitted before");
            require(task.lastCut() == state.highestStarted(), record, "its last cut is not the highest id started");
        } else if (record instanceof FullState full) {
            require(full.covers() <= topic.size(), record, "it covers what is not there yet");
            require(full.state().equals(stateBelow.get((int) full.covers())), record, "it is not the state there");
        }
        if (!(record instanceof FullState)) {
            state = state.after(record);
        }
        topic.add(record);
        stateBelow.put(topic.size(), state);
    }

    private void require(boolean condition, ControlRecord record, String otherwise) {
        if (!condition) {
            throw new AssertionError("Offset " + topic.size() + ": " + record + ": " + otherwise);
        }
    }

    List<ControlRecord> topic() {
        return topic;
    }

    DomainState state() {
        return state;
    }
}
