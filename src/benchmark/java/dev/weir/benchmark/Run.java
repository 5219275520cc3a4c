package dev.weir.benchmark;

import dev.weir.benchmark.profile.Profiling;
import dev.weir.benchmark.workload.Settings;
import dev.weir.benchmark.workload.Verifier;
import dev.weir.benchmark.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.IsolationLevel;

/** One run of one worker: its folders, its output, and what was found out so far. */
final class Run implements AutoCloseable {

    private static final int SAMPLE_MILLIS = 20;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /**
     * How things stood at one moment.
     *
     * @param millis when, in milliseconds since the Unix epoch
     * @param committed up to where the output could be read, by partition
     * @param workerCpu CPU seconds of the worker
     * @param brokerCpu CPU seconds of the broker
     */
    @SuppressWarnings("ArrayRecordComponent") // Samples are not compared.
    record Sample(long millis, long[] committed, double workerCpu, double brokerCpu) {}

    private final Stage stage;
    private final Implementation implementation;
    private final Settings settings;
    private final String name;
    private final Path folder;
    private final Map<String, Long> bytesBefore;
    private final Map<String, Double> figures = new LinkedHashMap<>();
    private final Map<String, Double> threads = new LinkedHashMap<>();
    private final List<String> faults = new ArrayList<>();
    private int launches;

    Run(Stage stage, Settings given, Implementation implementation, String name) throws Exception {
        this.stage = stage;
        this.implementation = implementation;
        this.name = name;
        this.folder = stage.folder().resolve(name);
        this.settings = given.with(
                "run=" + name,
                "in=" + implementation.input(),
                "out=" + Workload.OUTPUT,
                "state=" + folder.resolve("state"),
                "store=" + folder.resolve("store"),
                "bootstrap=" + stage.bootstrap());
        stage.topics().recreate(Workload.OUTPUT);
        this.bytesBefore = stage.topics().bytes();
        // The topic of that name that was there before may still be counted.
        bytesBefore.remove(Workload.OUTPUT);
    }

    /** Launches the worker, or another one in its place. */
    JavaProcess launch() throws IOException {
        launches++;
        Files.createDirectories(folder.resolve("state"));
        var options = settings.get("jvm", "") + " " + profiling().options(recording());
        return implementation.start(
                stage.target(),
                settings.with("jvm=" + options.trim()),
                stage.folder().resolve(name + "-" + launches + ".log"));
    }

    /** How the worker is looked into. */
    Profiling profiling() {
        return Profiling.of(settings);
    }

    /** Where that is recorded. */
    Path recording() {
        return stage.folder().resolve(profiling().file(name));
    }

    Settings settings() {
        return settings;
    }

    Stage stage() {
        return stage;
    }

    String input() {
        return implementation.input();
    }

    String output() {
        return Workload.OUTPUT;
    }

    Path state() {
        return folder.resolve("state");
    }

    Path store() {
        return folder.resolve("store");
    }

    void figure(String figure, double value) {
        figures.put(figure, value);
    }

    void millis(String figure, long value) {
        figures.put(figure, (double) value);
    }

    /** Notes what a figure comes to a second. */
    void perSecond(String figure, double seconds) {
        Double value = figures.get(figure);
        if (value != null) {
            figures.put(figure + "PerSecond", value / seconds);
        }
    }

    void fault(String text) {
        faults.add(text);
    }

    /** Looks at the output now. */
    long[] committed() throws ExecutionException, InterruptedException {
        return stage.topics().ends(Workload.OUTPUT, IsolationLevel.READ_COMMITTED);
    }

    /** Watches until at least so many outputs can be read and nothing has changed for a while. */
    List<Sample> follow(JavaProcess worker, long outputs, int settleMillis) throws Exception {
        List<Sample> samples = new ArrayList<>();
        long changed = System.currentTimeMillis();
        long[] previous = new long[Workload.PARTITIONS];
        while (true) {
            worker.check();
            long[] committed = committed();
            long now = System.currentTimeMillis();
            samples.add(new Sample(
                    now, committed, worker.facts().cpuSeconds(), stage.broker().cpuSeconds()));
            boolean enough = Arrays.stream(committed).sum() >= outputs
                    && Arrays.equals(committed, stage.topics().ends(Workload.OUTPUT, IsolationLevel.READ_UNCOMMITTED));
            if (!Arrays.equals(committed, previous)) {
                changed = now;
            }
            if (enough && now - changed > settleMillis) {
                return samples;
            }
            if (now - changed > PATIENCE.toMillis()) {
                throw new IllegalStateException("No output became readable for " + PATIENCE.toMinutes() + " min; "
                        + Arrays.stream(committed).sum() + " of " + outputs + " offsets were");
            }
            previous = committed;
            Thread.sleep(SAMPLE_MILLIS);
        }
    }

    /** Whether all of a worker's output up to these offsets can be read. */
    static boolean isPast(long[] ends, long[] offsets) {
        for (int i = 0; i < ends.length; i++) {
            if (ends[i] <= offsets[i]) {
                return false;
            }
        }
        return true;
    }

    /** Checks all output there is; tells at which offset the last of each partition lies. */
    long[] verify(Verifier verifier) throws ExecutionException, InterruptedException {
        long[] last = stage.topics().read(Workload.OUTPUT, record -> verifier.accept(record.key(), record.value()));
        faults.addAll(verifier.faults());
        long[] ends = committed();
        long markers = 0;
        for (int i = 0; i < ends.length; i++) {
            markers += ends[i];
        }
        // Every transaction leaves one offset without a record in each partition that it wrote to.
        figure("commits", (markers - verifier.outputs()) / (double) Workload.PARTITIONS);
        return last;
    }

    /** Notes what the worker's process has used. */
    void profile(JavaProcess worker) {
        var facts = worker.facts();
        figure("peakMiB", (double) facts.peakMiB());
        figure("diskMiB", mebibytes(facts.writtenBytes()));
        threads.putAll(facts.busiest(8));
    }

    /** Notes what the run has left in the broker and in the store. */
    void sizes() throws Exception {
        long out = 0;
        long others = 0;
        for (var topic : stage.topics().bytes().entrySet()) {
            long grown = topic.getValue() - bytesBefore.getOrDefault(topic.getKey(), 0L);
            if (topic.getKey().equals(Workload.OUTPUT)) {
                out += grown;
            } else if (!topic.getKey().equals(input())) {
                others += Math.max(0, grown);
            }
        }
        figure("outMiB", mebibytes(out));
        figure("otherTopicsMiB", mebibytes(others));
        figure("storeMiB", mebibytes(Folders.size(store())));
    }

    static double mebibytes(long bytes) {
        return bytes / (double) (1 << 20);
    }

    Result result(Scenario scenario, int round) {
        return new Result(
                scenario,
                implementation,
                round,
                Map.copyOf(figures),
                new LinkedHashMap<>(threads),
                List.copyOf(faults));
    }

    @Override
    public void close() throws Exception {
        stage.topics().deleteAllOf(name);
        Folders.delete(folder);
    }
}
