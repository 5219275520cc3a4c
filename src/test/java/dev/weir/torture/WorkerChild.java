package dev.weir.torture;

import dev.weir.fixture.LocalS3;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/** A worker's place: its name, disk and log stay while its process comes and goes. */
final class WorkerChild {

    private final Path folder;
    private final Classes classes;
    private final String domain;
    private final String bootstrap;
    private final StoreGate gate;
    /** Commands that each of its processes begins with. */
    private List<String> usually = List.of();

    private final String name;
    private @Nullable JavaChild child;
    /** Whether its end is our doing. */
    private boolean expectedToEnd;

    private long workedBefore;

    WorkerChild(Path folder, Classes classes, String domain, String bootstrap, StoreGate gate, int number) {
        this.classes = classes;
        this.folder = folder;
        this.domain = domain;
        this.bootstrap = bootstrap;
        this.gate = gate;
        this.name = "w" + number;
    }

    /** Timeouts that are asked for; short ones, so that a seed does not take long. */
    static final int SESSION_MILLIS = 6_000;

    static final int TRANSACTION_MILLIS = 10_000;

    void start() {
        start(usually);
    }

    /** From the next start on, a command that becomes it goes before it. */
    void usually(List<String> before) {
        usually = before;
    }

    /** Its way to the object store. */
    StoreGate gate() {
        return gate;
    }

    /** Starts it by a command that becomes it. */
    void start(List<String> before) {
        expectedToEnd = false;
        workedBefore = noted(Orders.WORKS);
        child = JavaChild.start(
                folder.resolve(name + ".log"),
                before,
                arguments(),
                TorturedWorker.class,
                List.of(
                        diary().toString(),
                        "--spring.main.banner-mode=off",
                        "--spring.main.web-application-type=none",
                        "--logging.level.org.apache.kafka.clients.NetworkClient=ERROR",
                        "--spring.kafka.bootstrap-servers=" + bootstrap,
                        "--spring.kafka.consumer.properties.session.timeout.ms=" + SESSION_MILLIS,
                        "--spring.kafka.consumer.properties.max.poll.interval.ms=20000",
                        "--weir.domain=" + domain,
                        "--weir.instance-id=" + name,
                        "--weir.checkpoint.interval=1500ms",
                        "--weir.checkpoint.timeout=15s",
                        "--weir.alignment.timeout=2s",
                        "--weir.transaction.timeout=" + TRANSACTION_MILLIS + "ms",
                        "--weir.base.min-bytes=1KB",
                        "--weir.base.max-deltas=4",
                        "--weir.state.block-cache=16MB",
                        "--weir.state.write-buffers=8MB",
                        "--weir.store.type=s3",
                        "--weir.store.s3.endpoint=" + gate.endpoint(),
                        "--weir.store.s3.bucket=" + Stores.BUCKET,
                        "--weir.store.s3.path-style=true",
                        "--weir.store.s3.call-timeout=10s",
                        "--weir.store.s3.attempt-timeout=4s",
                        "--weir.state.directory=" + disk()));
    }

    /** Only one of them leaves an archive. */
    private List<String> arguments() {
        var arguments = new ArrayList<>(List.of("-Xmx176m"));
        LocalS3.credentials().forEach((name, value) -> arguments.add("-D" + name + "=" + value));
        arguments.addAll(
                name.equals("w0") || classes.isArchived("worker") ? classes.arguments("worker") : classes.plain());
        return arguments;
    }

    /** Where its state is. */
    Path disk() {
        return folder.resolve("state-" + name);
    }

    String name() {
        return name;
    }

    /** The instance of its only thread in its group. */
    String instance() {
        return domain + "." + Ledger.NAME + "." + name + ".0";
    }

    JavaChild process() {
        if (child == null) {
            throw new IllegalStateException(name + " was never started");
        }
        return child;
    }

    boolean isAlive() {
        return child != null && child.isAlive();
    }

    /** Its end, from now on, is our doing. */
    JavaChild doomed() {
        expectedToEnd = true;
        return process();
    }

    /** Its end would not be our doing any more. */
    void spare() {
        expectedToEnd = false;
    }

    /** Whether its present process has got records. */
    boolean isWorking() {
        return isAlive() && noted(Orders.WORKS) > workedBefore;
    }

    /** Whether it has ended though nobody has done anything to it. */
    boolean endedByItself() {
        return child != null && !child.isAlive() && !expectedToEnd;
    }

    private Path diary() {
        return folder.resolve(name + ".diary");
    }

    /** The time at which its last process says that it was started, by the clock that this one sees. */
    long startedAtItsClock() {
        try {
            return Files.readAllLines(diary()).stream()
                    .filter(line -> line.startsWith(Orders.BY_MY_CLOCK))
                    .mapToLong(line -> Long.parseLong(line.substring(Orders.BY_MY_CLOCK.length())))
                    .reduce(0, (earlier, later) -> later);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How often something stands in what it wrote down, over all its processes. */
    long noted(String line) {
        try {
            return Files.exists(diary())
                    ? Files.readAllLines(diary()).stream().filter(line::equals).count()
                    : 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Deletes its state; it must not be alive. */
    void wipe() {
        try {
            FileSystemUtils.deleteRecursively(disk());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
