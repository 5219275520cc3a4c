package dev.weir.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ControlRecord.FullState;
import dev.weir.barrier.ControlRecord.TaskRegistered;
import dev.weir.barrier.DomainState;
import dev.weir.kafka.ControlReader.Positioned;
import dev.weir.topology.TaskId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ControlFoldTest {

    /** Offsets 0 to 5; the full state at 4 covers 0 to 1 only. */
    private static final List<Positioned> TOPIC = topic();

    private static List<Positioned> topic() {
        var records = new ArrayList<ControlRecord>(List.of(task(0), task(1), task(2), task(3)));
        records.add(new FullState(2, DomainState.empty().after(task(0)).after(task(1))));
        records.add(task(5));
        var positioned = new ArrayList<Positioned>();
        records.forEach(record -> positioned.add(new Positioned(positioned.size(), record)));
        return positioned;
    }

    private static TaskRegistered task(int partition) {
        return new TaskRegistered(new TaskId("p", partition), "s");
    }

    private static ControlFold fold(List<Positioned> records) {
        var fold = new ControlFold();
        records.forEach(record -> fold.read(record.offset(), record.record()));
        return fold;
    }

    private static void assertKnowsAllTasks(ControlFold fold) {
        assertThat(fold.state().tasks().keySet())
                .extracting(TaskId::partition)
                .containsExactlyInAnyOrder(0, 1, 2, 3, 5);
        assertThat(fold.next()).isEqualTo(6);
    }

    @Test
    void keepsRecordsBetweenWhatAFullStateCoversAndItself() {
        assertKnowsAllTasks(fold(TOPIC));
    }

    @Test
    void startsFromATrimmedTopic() {
        assertKnowsAllTasks(fold(TOPIC.subList(2, 6)));
        assertKnowsAllTasks(fold(TOPIC.subList(1, 6)));
    }

    @Test
    void startsFromAFullStateThatIsHandedOutBeforeTheRecordsThatFollowWhatItCovers() {
        assertKnowsAllTasks(fold(List.of(TOPIC.get(4), TOPIC.get(2), TOPIC.get(3), TOPIC.get(4), TOPIC.get(5))));
    }

    @Test
    void ignoresWhatWasReadBefore() {
        var fold = fold(TOPIC);

        assertThat(fold.read(3, task(9))).isFalse();
        assertThat(fold.read(4, TOPIC.get(4).record())).isFalse();

        assertKnowsAllTasks(fold);
    }

    @Test
    void countsFromTheNewestFullState() {
        assertThat(fold(TOPIC).sinceFullState()).isEqualTo(1);
        assertThat(fold(TOPIC).covers()).isEqualTo(2);
    }
}
