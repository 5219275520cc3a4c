package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

@ResourceLock(Resources.SYSTEM_PROPERTIES)
@ResourceLock(Resources.SYSTEM_ERR)
class SeedSourceTest {

    @Test
    void yieldsTheSameDistinctSeedsEachTime() {
        assertThat(Seeds.seeds(100, null, null).distinct()).hasSize(100);
        assertThat(Seeds.seeds(100, null, null).toArray())
                .containsExactly(Seeds.seeds(100, null, null).toArray());
    }

    @Test
    void extendsTheSeedsWithoutChangingTheFirst() {
        assertThat(Seeds.seeds(3, null, "5").limit(3).toArray())
                .containsExactly(Seeds.seeds(3, null, null).toArray());
        assertThat(Seeds.seeds(3, null, "5")).hasSize(5);
    }

    @Test
    void replaysOneSeed() {
        assertThat(Seeds.seeds(100, "-42", "7").toArray()).containsExactly(-42L);
    }

    @Test
    void refusesWhatIsNoSeed() {
        assertThatThrownBy(() -> Seeds.seeds(1, "0x1f", null)).hasMessageContaining("-Dweir.seed=0x1f");
        assertThatThrownBy(() -> Seeds.seeds(0, null, null)).hasMessageContaining("at least 1");
    }

    @Test
    void namesEachSeedAndPrintsTheFailingOne() {
        long failing = Seeds.seeds(3, null, null).skip(1).findFirst().orElseThrow();

        var run = run(Map.of());

        assertThat(run.names)
                .containsExactlyElementsOf(Seeds.seeds(3, null, null)
                        .mapToObj(seed -> "seed " + seed)
                        .toList());
        assertThat(run.failed).containsExactly("seed " + failing);
        assertThat(run.printed)
                .containsOnlyOnce("failed; replay it with")
                .contains("-Dtest='" + Example.class.getName() + "#isDeterministic' -Dweir.seed=" + failing);
    }

    @Test
    void runsTheReplayedSeedAlone() {
        var run = run(Map.of(Seeds.SEED, "99"));

        assertThat(run.names).containsExactly("seed 99");
        assertThat(run.failed).isEmpty();
        assertThat(run.printed).isEmpty();
    }

    private record Run(List<String> names, List<String> failed, String printed) {}

    private static Run run(Map<String, String> properties) {
        var saved = Optional.ofNullable(System.getProperty(Seeds.SEED));
        var savedCount = Optional.ofNullable(System.getProperty(Seeds.SEEDS));
        var savedErr = System.err;
        var printed = new ByteArrayOutputStream();
        System.clearProperty(Seeds.SEED);
        System.clearProperty(Seeds.SEEDS);
        properties.forEach(System::setProperty);
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            var results = EngineTestKit.engine("junit-jupiter")
                    .selectors(selectClass(Example.class))
                    .configurationParameter("junit.jupiter.conditions.deactivate", "*")
                    .execute();
            return new Run(started(results), failed(results), printed.toString(StandardCharsets.UTF_8));
        } finally {
            System.setErr(savedErr);
            System.clearProperty(Seeds.SEED);
            saved.ifPresent(value -> System.setProperty(Seeds.SEED, value));
            savedCount.ifPresent(value -> System.setProperty(Seeds.SEEDS, value));
        }
    }

    private static List<String> started(EngineExecutionResults results) {
        return results.testEvents()
                .started()
                .map(event -> event.getTestDescriptor().getDisplayName())
                .toList();
    }

    private static List<String> failed(EngineExecutionResults results) {
        return results.testEvents()
                .failed()
                .map(event -> event.getTestDescriptor().getDisplayName())
                .toList();
    }

    /** Run only by the tests above: it fails for one of its seeds. */
    @Tag("example")
    static class Example {

        @SeedSource(count = 3)
        void isDeterministic(long seed) {
            assertThat(seed)
                    .isNotEqualTo(Seeds.seeds(3, null, null).skip(1).findFirst().orElseThrow());
        }
    }
}
