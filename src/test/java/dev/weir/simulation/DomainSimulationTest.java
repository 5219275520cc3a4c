package dev.weir.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.weir.SeedSource;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.testkit.FaultPlan;
import dev.weir.testkit.SimulationFailed;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * The whole domain in one thread (I1, I3, I5, I6, I8, I9, I11): exactly once, consistent checkpoints and progress after healing, on
 * thousands of bad days with crashes, zombies, rebalances, lost replies, late transaction markers and changing leaders.
 */
class DomainSimulationTest {

    private static final Logger WEIR = (Logger) LoggerFactory.getLogger("dev.weir");
    private static final int BAD_STEPS = 1_500;

    @BeforeAll
    static void beQuiet() {
        WEIR.setLevel(Level.OFF);
    }

    @AfterAll
    static void speakAgain() {
        WEIR.setLevel(Level.INFO);
    }

    @SeedSource(count = 50)
    void aGoodDayCompletesCheckpointsAndProcessesEverything(long seed) {
        var domain = new Domain(seed, FaultPlan.none(), Sabotage.NONE);
        domain.run(4_000);
        finish(domain);
        domain.check();
        assertThat(domain.checkpoints().values()).anyMatch(checkpoint -> checkpoint.outcome() == Outcome.COMPLETE);
    }

    @SeedSource(count = 10_000)
    void aBadDayIsExactlyOnceAllTheSame(long seed) {
        badDay(seed, Sabotage.NONE);
    }

    @Test
    void badDaysHaveEveryFaultThatTheyAreMadeOf() {
        int rollBacks = 0;
        int restores = 0;
        int bases = 0;
        int abandoned = 0;
        int complete = 0;
        int unaligned = 0;
        int leaders = 0;
        for (long seed = 0; seed < 100; seed++) {
            var domain = badDay(seed, Sabotage.NONE);
            rollBacks += domain.tally.rollBacks;
            restores += domain.tally.restores;
            bases += domain.tally.bases;
            leaders += domain.tally.leaders;
            unaligned += domain.unalignedCuts();
            for (var checkpoint : domain.checkpoints().values()) {
                abandoned += checkpoint.outcome() == Outcome.ABANDONED ? 1 : 0;
                complete += checkpoint.outcome() == Outcome.COMPLETE ? 1 : 0;
            }
        }
        assertThat(IntStream.of(rollBacks, restores, bases, abandoned, complete, unaligned, leaders))
                .as(
                        "roll-backs, restores, bases, abandoned, complete, unaligned cuts, leaders: %d %d %d %d %d %d %d",
                        rollBacks, restores, bases, abandoned, complete, unaligned, leaders)
                .allMatch(count -> count >= 20);
    }

    @SeedSource(count = 20)
    void theSameSeedGivesTheSameRun(long seed) {
        assertThat(traceHash(seed)).isEqualTo(traceHash(seed)).isNotEqualTo(traceHash(seed + 1));
    }

    @ParameterizedTest
    @EnumSource(value = Sabotage.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aWorkerWithAMistakeIsCaught(Sabotage sabotage) {
        assertThat(LongStream.range(0, 3_000)
                        .filter(seed -> isCaught(seed, sabotage))
                        .findFirst())
                .as("a seed that catches " + sabotage)
                .isPresent();
    }

    private static Domain badDay(long seed, Sabotage sabotage) {
        var domain = new Domain(seed, FaultPlan.rough(), sabotage);
        domain.run(BAD_STEPS / 2);
        domain.restartOne();
        domain.run(BAD_STEPS / 2);
        domain.check();
        finish(domain);
        domain.check();
        return domain;
    }

    private static void finish(Domain domain) {
        if (!domain.finish()) {
            throw new AssertionError(
                    "Not all input was processed and checkpointed after healing: " + domain.describe());
        }
    }

    private static long traceHash(long seed) {
        var domain = new Domain(seed, FaultPlan.rough(), Sabotage.NONE);
        domain.run(BAD_STEPS);
        return domain.simulation().traceHash();
    }

    private static boolean isCaught(long seed, Sabotage sabotage) {
        try {
            badDay(seed, sabotage);
            return false;
        } catch (AssertionError | SimulationFailed caught) {
            return true;
        }
    }
}
