package dev.weir.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.SeedSource;
import dev.weir.testkit.FaultPlan;

/** The whole domain in one thread: exactly once, consistent checkpoints, progress after healing, on thousands of bad days. */
class DomainSimulationTest {

    @SeedSource(count = 20)
    void aGoodDayCompletesCheckpointsAndProcessesEverything(long seed) {
        var domain = new Domain(seed, FaultPlan.none(), Sabotage.NONE);
        domain.run(4_000);
        assertThat(domain.finish())
                .as("all input is processed and a checkpoint completed")
                .isTrue();
        domain.check();
    }

    @SeedSource(count = 100)
    void aBadDayIsExactlyOnceAllTheSame(long seed) {
        var domain = new Domain(seed, FaultPlan.rough(), Sabotage.NONE);
        domain.run(1_500);
        domain.check();
        assertThat(domain.finish()).as("all input is processed after healing").isTrue();
        domain.check();
    }
}
