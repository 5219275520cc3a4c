package dev.weir.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ControlRecord.CheckpointAbandoned;
import dev.weir.barrier.ControlRecord.CheckpointCompleted;
import dev.weir.barrier.ControlRecord.FullState;
import dev.weir.barrier.ControlRecord.SlotFenced;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Covers I8 and F3: whatever fails and whoever leads, a checkpoint is decided once, and as the store says. */
class LeaderSimulationTest {

    /** {@code -Dweir.seed=N} replays one seed. */
    static LongStream seeds() {
        var one = Long.getLong("weir.seed");
        return one != null ? LongStream.of(one) : LongStream.rangeClosed(1, 200);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everyCheckpointIsDecidedOnceAndEverythingGoesOnAfterHealing(long seed) {
        var simulation = new LeaderSimulation(seed);

        simulation.run(3_000);
        simulation.heal();

        assertThat(LeaderSimulation.foldFrom(simulation.topic(), simulation.trimmedBelow())
                        .state())
                .isEqualTo(simulation.state());
    }

    @Test
    void theSameSeedGivesTheSameTopic() {
        assertThat(topic(7)).isEqualTo(topic(7)).isNotEqualTo(topic(8));
    }

    /** A simulation in which nothing happens would prove nothing. */
    @Test
    void aRunCompletesAbandonsFencesAndTrims() {
        var simulation = new LeaderSimulation(1);
        simulation.run(10_000);

        assertThat(simulation.topic().stream().map(ControlRecord::getClass).collect(Collectors.toSet()))
                .contains(CheckpointCompleted.class, CheckpointAbandoned.class, SlotFenced.class, FullState.class);
        assertThat(simulation.trimmedBelow()).isPositive();
    }

    private static List<?> topic(long seed) {
        var simulation = new LeaderSimulation(seed);
        simulation.run(2_000);
        return simulation.copyOfTopic();
    }
}
