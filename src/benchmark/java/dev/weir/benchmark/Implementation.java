package dev.weir.benchmark;

import dev.weir.benchmark.worker.BareWorker;
import dev.weir.benchmark.workload.Settings;
import dev.weir.benchmark.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Those who do the work. */
enum Implementation {
    /** A loop of bare clients with its state in a heap map: the ceiling. */
    BARE("bare loop", "Bare", "kafka"),
    /** The same with its state in RocksDB, not durable. */
    BARE_ROCKS("bare loop, RocksDB", "Bare", "kafka"),
    STREAMS("Kafka Streams", "Streams", "kafka"),
    FLINK("Flink", "Flink", "flink"),
    WEIR("Weir", "Weir", "weir");

    private final String title;
    private final String worker;
    private final String classPath;

    Implementation(String title, String worker, String classPath) {
        this.title = title;
        this.worker = worker;
        this.classPath = classPath;
    }

    /** By its name in settings. */
    static Implementation of(String name) {
        return Arrays.stream(values())
                .filter(each -> each.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "Cannot measure '" + name + "': impl is one of " + Arrays.toString(values())));
    }

    /** What a reader calls it. */
    String title() {
        return title;
    }

    /** The topic that it reads: Weir writes markers into its input, so it has one of its own with the same records. */
    String input() {
        return this == WEIR ? Workload.INPUT_WITH_MARKERS : Workload.INPUT;
    }

    /** Whether a worker that is lost gets its state back. */
    boolean recovers() {
        return this != BARE && this != BARE_ROCKS;
    }

    /** Starts a worker of it. */
    JavaProcess start(Path target, Settings settings, Path log) throws IOException {
        List<String> arguments = settings.arguments();
        if (this == BARE_ROCKS) {
            arguments = settings.with("store=rocks").arguments();
        } else if (this == BARE) {
            arguments = settings.with("store=heap").arguments();
        }
        return JavaProcess.start(
                classPath(target, classPath),
                JavaProcess.workerOptions(settings),
                BareWorker.class.getPackageName() + "." + worker + "Worker",
                arguments,
                log);
    }

    /** A class path that the build has written down, with the project's own classes and what stands in a folder of that name in front. */
    static String classPath(Path target, String name) throws IOException {
        return String.join(
                ":",
                target.resolve("test-classes").toString(),
                target.resolve("classes").toString(),
                target.resolve(name) + "/*",
                Files.readString(target.resolve(name + ".classpath")).trim());
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
