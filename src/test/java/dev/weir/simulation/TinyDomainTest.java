package dev.weir.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.SeedSource;
import dev.weir.testkit.FaultPlan;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulation, its unkind Kafka and its checkers, tried on workers so small that they can be seen to be right. */
class TinyDomainTest {

    @SeedSource(count = 300)
    void rightWorkersAreExactlyOnceOnABadDay(long seed) {
        var domain = new TinyDomain(seed, FaultPlan.rough(), Sabotage.NONE);
        domain.run(1_500);
        domain.check();
        assertThat(domain.finish()).as("all input is processed after healing").isTrue();
        domain.check();
    }

    @SeedSource(count = 20)
    void theSameSeedGivesTheSameRun(long seed) {
        assertThat(traceHash(seed)).isEqualTo(traceHash(seed)).isNotEqualTo(traceHash(seed + 1));
    }

    private static long traceHash(long seed) {
        var domain = new TinyDomain(seed, FaultPlan.rough(), Sabotage.NONE);
        domain.run(1_000);
        return domain.simulation().traceHash();
    }

    @ParameterizedTest
    @EnumSource(
            value = Sabotage.class,
            names = {"NO_POSITIONS", "NO_MEMBER", "LATE_REVOKE", "INVERTED_COMMITS", "EARLY_COMMITTED"})
    void wrongWorkersAreCaught(Sabotage sabotage) {
        assertThat(LongStream.range(0, 200)
                        .filter(seed -> isCaught(seed, sabotage))
                        .findFirst())
                .as("a seed that catches " + sabotage)
                .isPresent();
    }

    private static boolean isCaught(long seed, Sabotage sabotage) {
        try {
            var domain = new TinyDomain(seed, FaultPlan.rough(), sabotage);
            domain.run(1_500);
            domain.check();
            return false;
        } catch (AssertionError | dev.weir.testkit.SimulationFailed caught) {
            return true;
        }
    }
}
