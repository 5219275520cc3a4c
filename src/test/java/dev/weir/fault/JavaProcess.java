package dev.weir.fault;

import dev.weir.fixture.LocalS3;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** A JVM with this one's class path, whose output goes to a file. */
final class JavaProcess {

    /** The exit value of a process that was ended by SIGKILL. */
    static final int KILLED = 128 + 9;

    private final Process process;
    private final Path log;

    private JavaProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    static JavaProcess start(Path log, List<String> options, String mainClass, List<String> arguments)
            throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-XX:+IgnoreUnrecognizedVMOptions");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
        command.addAll(arguments);
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("AWS_ACCESS_KEY_ID", LocalS3.ACCESS_KEY);
        builder.environment().put("AWS_SECRET_ACCESS_KEY", LocalS3.SECRET_KEY);
        return new JavaProcess(builder.start(), log);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    int exitValue() {
        return process.exitValue();
    }

    /** Waits until a line begins so. */
    void awaitSaid(String beginning, Duration atMost) {
        Awaitility.await().pollInterval(Duration.ofMillis(50)).atMost(atMost).until(() -> {
            if (!process.isAlive()) {
                throw new AssertionError("The process ended with " + process.exitValue() + "; see " + log);
            }
            return hasSaid(beginning);
        });
    }

    private boolean hasSaid(String beginning) throws IOException {
        try (var lines = Files.lines(log)) {
            return lines.anyMatch(line -> line.startsWith(beginning));
        }
    }

    /** Ends it with SIGKILL, and sees that it was that which ended it. */
    void kill() {
        process.destroyForcibly();
        await(Duration.ofSeconds(30));
        if (process.exitValue() != KILLED) {
            throw new AssertionError(
                    "The process ended with " + process.exitValue() + " and not by SIGKILL; see " + log);
        }
    }

    /** Lets it end in good order, or ends it. */
    void end(Duration atMost) {
        process.destroy();
        try {
            if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
    }

    /** Stands still, as far as the kernel says. */
    void suspend() {
        signal("STOP");
        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> state() == 'T');
    }

    void resume() {
        signal("CONT");
        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> state() != 'T');
    }

    private char state() {
        try {
            var stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return 'X';
        }
    }

    private void signal(String name) {
        try {
            var kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
            if (kill.waitFor() != 0) {
                throw new AssertionError("kill -" + name + " " + process.pid() + " ended with " + kill.exitValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void await(Duration atMost) {
        try {
            if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("The process does not end; see " + log);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
