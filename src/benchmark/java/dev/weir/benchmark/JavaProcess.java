package dev.weir.benchmark;

import dev.weir.benchmark.workload.Settings;
import dev.weir.benchmark.workload.Signals;
import dev.weir.benchmark.workload.Signals.Signal;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongBinaryOperator;

/** A JVM of its own. What it signals is kept, everything that it prints goes to a file. */
final class JavaProcess implements AutoCloseable {

    private static final int GRACE_SECONDS = 30;

    private final Process process;
    private final long launchedMillis = System.currentTimeMillis();
    private final List<String> signals = new ArrayList<>();
    private final Path log;
    private final Thread listener;
    private volatile boolean ready;

    private JavaProcess(List<String> command, Path log) throws IOException {
        Files.createDirectories(log.toAbsolutePath().getParent());
        this.log = log;
        this.process = new ProcessBuilder(command).redirectErrorStream(true).start();
        this.listener = new Thread(this::listen, "listener");
        listener.setDaemon(true);
        listener.start();
    }

    /** Starts a JVM. */
    static JavaProcess start(String classPath, List<String> options, String main, List<String> arguments, Path log)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main));
        command.addAll(arguments);
        return new JavaProcess(command, log);
    }

    /** The options of a worker's JVM, the same for all of them. */
    static List<String> workerOptions(Settings settings) {
        String heap = settings.get("heap", "2g");
        List<String> options = new ArrayList<>(List.of(
                "-Xms" + heap,
                "-Xmx" + heap,
                "-XX:+Use" + settings.get("gc", "G1GC"),
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--add-opens=java.base/java.util=ALL-UNNAMED"));
        if (!settings.get("jvm", "").isEmpty()) {
            options.addAll(List.of(settings.get("jvm").trim().split("\\s+")));
        }
        return options;
    }

    private void listen() {
        try (BufferedReader lines = process.inputReader();
                BufferedWriter file = Files.newBufferedWriter(log)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                file.write(line);
                file.newLine();
                file.flush();
                if (line.startsWith(Signals.MARK)) {
                    synchronized (signals) {
                        signals.add(line.substring(Signals.MARK.length()));
                    }
                }
                ready |= line.startsWith("READY");
            }
        } catch (IOException e) {
            // The process has ended in the middle of a line.
            ready = false;
        }
    }

    /** Whether it has printed that it is ready. */
    boolean isReady() {
        return ready;
    }

    ProcessFacts facts() {
        return new ProcessFacts(process.pid());
    }

    long launchedMillis() {
        return launchedMillis;
    }

    /** When it first signalled this, in milliseconds since the Unix epoch, or −1. */
    long first(Signal signal) {
        return time(signal, Math::min);
    }

    /** When it last signalled this, or −1. */
    long last(Signal signal) {
        return time(signal, Math::max);
    }

    private long time(Signal signal, LongBinaryOperator choice) {
        synchronized (signals) {
            return signals.stream()
                    .filter(line -> line.startsWith(signal + " "))
                    .mapToLong(line -> Long.parseLong(line.split(" ")[1]))
                    .reduce(choice)
                    .orElse(-1);
        }
    }

    /** Fails if it has ended. */
    void check() throws IOException {
        if (!process.isAlive()) {
            List<String> lines = Files.readAllLines(log);
            throw new IllegalStateException("A process has ended with " + process.exitValue() + "; its output ("
                    + log + ") ends with:\n"
                    + String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size())));
        }
    }

    /** Ends it without warning. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
            kill();
        }
        listener.join();
    }
}
