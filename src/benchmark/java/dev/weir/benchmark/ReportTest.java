package dev.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmark.Scenario.Measure;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {

    private static final Scenario SCENARIO = new Scenario(Measure.CATCHUP, "a few records");

    private static Result run(Implementation implementation, int round, double throughput, String... faults) {
        return new Result(
                SCENARIO,
                implementation,
                round,
                Map.of("recordsPerSecond", throughput, "workerCpuMicros", 4.0, "brokerCpuMicros", 1.0),
                Map.of(),
                List.of(faults));
    }

    @Test
    void tellsTheProportionOfMediansAndOfSingleRounds() {
        var report = new Report(
                List.of(),
                List.of(
                        run(Implementation.STREAMS, 1, 100),
                        run(Implementation.WEIR, 1, 300),
                        run(Implementation.STREAMS, 2, 100),
                        run(Implementation.WEIR, 2, 200),
                        run(Implementation.STREAMS, 3, 50),
                        run(Implementation.WEIR, 3, 200)));

        assertThat(report.ratio(SCENARIO, Implementation.STREAMS, "recordsPerSecond"))
                .isEqualTo(new Spread(2, 2, 4));
        assertThat(report.ratio(SCENARIO, Implementation.STREAMS, "totalCpuMicros"))
                .isEqualTo(new Spread(1, 1, 1));
        assertThat(report.markdown())
                .contains("| Kafka Streams | 3 | 100 (50–100) | 4.00 (4.00–4.00) |")
                .contains("| Weir / Kafka Streams | 2.00 (2.00–4.00) | 1.00 (1.00–1.00) | 1.00 (1.00–1.00) |")
                .doesNotContain("WRONG");
        assertThat(report.isCorrect()).isTrue();
    }

    @Test
    void marksWrongRunsAndLeavesThemOut() {
        var report = new Report(
                List.of(),
                List.of(
                        run(Implementation.STREAMS, 1, 100),
                        run(Implementation.WEIR, 1, 900, "7 outputs where 8 were expected"),
                        run(Implementation.WEIR, 2, 300)));

        assertThat(report.isCorrect()).isFalse();
        assertThat(report.markdown())
                .contains("| Weir | 1, 1 WRONG | 300 (300–300) |")
                .contains("- catchup, Weir, round 1: 7 outputs where 8 were expected");
        assertThat(report.ratio(SCENARIO, Implementation.STREAMS, "recordsPerSecond"))
                .as("no round in which both were right")
                .isNull();
    }

    @Test
    void isNotCorrectWithoutAnyRun() {
        assertThat(new Report(List.of(), List.of()).isCorrect()).isFalse();
    }

    @Test
    void comparesEveryImplementationWithWeir() {
        var report = new Report(
                List.of(),
                List.of(
                        run(Implementation.BARE, 1, 400),
                        run(Implementation.FLINK, 1, 50),
                        run(Implementation.WEIR, 1, 200)));

        assertThat(report.markdown())
                .contains("| Weir / bare loop | 0.50 (0.50–0.50)")
                .contains("| Weir / Flink | 4.00 (4.00–4.00)")
                .doesNotContain("Weir / Weir")
                .doesNotContain("Kafka Streams");
    }
}
