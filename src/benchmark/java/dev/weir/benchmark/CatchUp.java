package dev.weir.benchmark;

import dev.weir.benchmark.Run.Sample;
import dev.weir.benchmark.workload.Ledger;
import dev.weir.benchmark.workload.Signals.Signal;
import dev.weir.benchmark.workload.Verifier;
import java.nio.file.Files;
import java.util.List;
import java.util.function.Predicate;

/**
 * Works through a full input: from the first record that the worker sees until the last output can be read by a read_committed consumer.
 * Start-up and joining the group do not count; warming up and the last commit do.
 */
final class CatchUp {

    private static final int SETTLE_MILLIS = 1500;

    private CatchUp() {}

    static void measure(Run run) throws Exception {
        var settings = run.settings();
        Ledger expected = run.stage()
                .fill(
                        run.input(),
                        settings.get("dist", "uniform"),
                        settings.number("n", 3_000_000),
                        settings.number("k", 1_000_000));
        List<Sample> samples;
        long started;
        try (JavaProcess worker = run.launch()) {
            samples = run.follow(worker, expected.records(), SETTLE_MILLIS);
            started = worker.first(Signal.STARTED);
            run.profile(worker);
        }
        long[] last = run.verify(new Verifier(expected));
        Sample begin = first(samples, sample -> sample.millis() >= started);
        Sample end = first(samples, sample -> Run.isPast(sample.committed(), last));
        double seconds = (end.millis() - started) / 1e3;
        long records = expected.records();
        run.figure("seconds", seconds);
        run.perSecond("commits", seconds);
        run.figure("recordsPerSecond", records / seconds);
        run.figure("workerCpuMicros", (end.workerCpu() - begin.workerCpu()) * 1e6 / records);
        run.figure("brokerCpuMicros", (end.brokerCpu() - begin.brokerCpu()) * 1e6 / records);
        run.sizes();
        if (run.profiling().isOn()) {
            String profile = run.profiling().describe(run.recording(), started, end.millis(), records);
            Files.writeString(run.stage().target().resolve("profile.txt"), profile);
            System.out.println(profile);
        }
    }

    private static Sample first(List<Sample> samples, Predicate<Sample> condition) {
        return samples.stream().filter(condition).findFirst().orElseThrow();
    }
}
