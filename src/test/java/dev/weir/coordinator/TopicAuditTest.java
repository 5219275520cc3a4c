package dev.weir.coordinator;

import static dev.weir.coordinator.Scenario.CHECKPOINT_REF;
import static dev.weir.coordinator.Scenario.MARKERS;
import static dev.weir.coordinator.Scenario.TASK_0;
import static dev.weir.coordinator.Scenario.TASK_1;
import static dev.weir.coordinator.Scenario.acknowledged;
import static dev.weir.coordinator.Scenario.start;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ControlRecord.CheckpointAbandoned;
import dev.weir.barrier.ControlRecord.CheckpointCompleted;
import dev.weir.barrier.ControlRecord.FullState;
import dev.weir.barrier.ControlRecord.MarkersPlaced;
import dev.weir.barrier.ControlRecord.TaskAdmitted;
import dev.weir.barrier.DomainState;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The audit finds what it is there to find. */
class TopicAuditTest {

    private final Map<Long, Outcome> store = new HashMap<>(Map.of(1L, Outcome.COMPLETE, 2L, Outcome.ABANDONED));
    private final TopicAudit audit = new TopicAudit(store);

    private void accept(ControlRecord... records) {
        for (var record : records) {
            assertThatCode(() -> audit.append(record)).doesNotThrowAnyException();
        }
    }

    private void refuse(ControlRecord record, String why) {
        assertThatThrownBy(() -> audit.append(record))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(why);
    }

    @Test
    void findsEveryViolation() {
        accept(new TaskAdmitted(TASK_0, 0));
        refuse(start(1, 1), "exactly the admitted");
        accept(new TaskAdmitted(TASK_1, 0), start(1, 1));
        refuse(new TaskAdmitted(TASK_1, 1), "admitted before");
        refuse(start(1, 1), "not above");
        refuse(start(2, 1), "another one is open");
        accept(new MarkersPlaced(1, MARKERS), acknowledged(1, TASK_0));
        refuse(new FullState(99, audit.state()), "covers what is not there");
        refuse(new FullState(5, DomainState.empty()), "not the state");
        accept(new FullState(5, audit.state()));
    }

    @Test
    void findsWrongDecisions() {
        accept(new TaskAdmitted(TASK_0, 0), new TaskAdmitted(TASK_1, 0), start(1, 1), new MarkersPlaced(1, MARKERS));
        accept(
                acknowledged(1, TASK_0),
                acknowledged(1, TASK_1),
                new CheckpointCompleted(1, CHECKPOINT_REF),
                start(2, 1));
        refuse(new CheckpointCompleted(1, CHECKPOINT_REF), "decided before");
        refuse(new CheckpointAbandoned(1, "r"), "decided before");
        refuse(new CheckpointCompleted(2, CHECKPOINT_REF), "not all tasks");
        refuse(new CheckpointAbandoned(7, "r"), "store says otherwise");
    }
}
