package dev.weir.simulation;

import dev.weir.SeedSource;
import dev.weir.testkit.FaultPlan;

/** The whole domain in one thread: exactly once, consistent checkpoints, progress after healing, on thousands of bad days. */
class DomainSimulationTest {

    @SeedSource(count = 20)
    void aGoodDayCompletesCheckpointsAndProcessesEverything(long seed) {
        var domain = new Domain(seed, FaultPlan.none(), Sabotage.NONE);
        domain.run(4_000);
        if (!domain.finish()) {
            throw new AssertionError("Not all input is processed and a checkpoint completed: " + domain.describe());
        }
        domain.check();
    }

    @SeedSource(count = 100)
    void aBadDayIsExactlyOnceAllTheSame(long seed) {
        var domain = new Domain(seed, FaultPlan.rough(), Sabotage.NONE);
        domain.run(1_500);
        domain.check();
        if (!domain.finish()) {
            throw new AssertionError("Not all input is processed after healing: " + domain.describe());
        }
        domain.check();
    }
}
