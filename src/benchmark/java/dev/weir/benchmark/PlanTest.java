package dev.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.benchmark.Scenario.Measure;
import dev.weir.benchmark.workload.Settings;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanTest {

    private static Plan plan(List<String> words, String... settings) {
        return Plan.of(words, Settings.of(settings));
    }

    @Test
    void measuresEverythingOnBothKindsOfKeys() {
        var plan = plan(List.of("all"), "runs=5", "n=100", "recovery.k=7");

        assertThat(plan.steps())
                .extracting(step -> step.scenario().measure())
                .containsExactly(Measure.CATCHUP, Measure.CATCHUP, Measure.LATENCY, Measure.RECOVERY);
        assertThat(plan.steps()).extracting(Plan.Step::runs).containsOnly(5);
        assertThat(plan.steps().get(0).scenario().description()).startsWith("100 records, uniform keys of 1,000,000");
        assertThat(plan.steps().get(1).scenario().description()).startsWith("100 records, zipf keys");
        assertThat(plan.steps().get(0).implementations())
                .containsExactly(
                        Implementation.BARE, Implementation.STREAMS, Implementation.FLINK, Implementation.WEIR);
        assertThat(plan.steps().get(3).settings().number("k", 0)).isEqualTo(7);
        assertThat(plan.steps().get(2).settings().number("k", 0)).isEqualTo(1_000_000);
    }

    @Test
    void recordsOnlyWeirOnce() {
        var plan = plan(List.of("all"), "runs=5", "profile=true");

        assertThat(plan.steps()).hasSize(1);
        assertThat(plan.steps().get(0).runs()).isEqualTo(1);
        assertThat(plan.steps().get(0).implementations()).containsExactly(Implementation.WEIR);
    }

    @Test
    void tellsSettingsThatAreNotTheUsualOnes() {
        var plan = plan(List.of("catchup"), "impl=weir", "weir.commit.interval=100ms");

        assertThat(plan.steps().get(0).scenario().description()).endsWith(", weir.commit.interval=100ms");
    }

    @Test
    void refusesToMeasureTheUnknown() {
        assertThatThrownBy(() -> plan(List.of("speed"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> plan(List.of("catchup"), "impl=storm"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("storm");
    }

    @Test
    void refusesToRecoverWhatKeepsNothing() {
        assertThatThrownBy(() -> plan(List.of("recovery"), "impl=bare"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bare");
    }
}
