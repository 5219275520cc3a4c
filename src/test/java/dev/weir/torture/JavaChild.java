package dev.weir.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A JVM of our own that can be hit with signals. */
final class JavaChild {

    private static final Set<Process> ALL = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> ALL.forEach(Process::destroyForcibly), "torture-children"));
    }

    private final Process process;

    private JavaChild(Process process) {
        this.process = process;
        ALL.removeIf(other -> !other.isAlive());
        ALL.add(process);
    }

    /** Starts one, by a command that becomes it, with the JVM's arguments; what it prints is added to the log. */
    static JavaChild start(Path log, List<String> before, List<String> jvm, Class<?> main, List<String> arguments) {
        var command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xss512k"));
        command.addAll(jvm);
        command.add(main.getName());
        command.addAll(arguments);
        try {
            return new JavaChild(new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Sends a line to its standard input; nothing happens if it has ended. */
    void tell(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(UTF_8));
            process.getOutputStream().flush();
        } catch (IOException ended) {
            // It has ended, which its exit code will tell.
        }
    }

    /** SIGKILL; the exit code, which is 137 unless it had ended before. */
    int kill() {
        process.destroyForcibly();
        return await(30);
    }

    /** SIGTERM; returns at once. */
    void terminate() {
        signal("TERM");
    }

    /** SIGSTOP or SIGCONT. */
    void signal(String name) {
        try {
            int code = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
            if (code != 0 && process.isAlive()) {
                throw new IllegalStateException(
                        "Cannot send SIG" + name + " to " + process.pid() + ": kill says " + code);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** The letter by which the kernel names its state; T if it is stopped, '-' if there is none any more. */
    char state() {
        try {
            var stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException ended) {
            return '-';
        }
    }

    /** Waits for its end; the exit code. */
    int await(long seconds) {
        try {
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Process " + process.pid() + " has not ended in " + seconds + " s");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Whether it ends within so long. */
    boolean endsWithin(long millis) {
        try {
            return process.waitFor(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException(e);
    }
}
