package dev.weir.benchmark;

import dev.weir.benchmark.workload.Ledger;
import dev.weir.benchmark.workload.Settings;
import dev.weir.fixture.EmbeddedBroker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** What all runs share: the broker in a JVM of its own, the inputs in it, and a folder for what is made on the way. */
final class Stage implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** What an input holds. */
    private record Content(String description, Ledger ledger) {}

    private final Path target;
    private final Path folder;
    private final JavaProcess broker;
    private final String bootstrap;
    private final Topics topics;
    private final Map<String, Content> inputs = new HashMap<>();
    private int runs;

    private Stage(Path target, Path folder, JavaProcess broker, String bootstrap) {
        this.target = target;
        this.folder = folder;
        this.broker = broker;
        this.bootstrap = bootstrap;
        this.topics = new Topics(bootstrap);
    }

    /** Starts the broker. The setting {@code target} is where the build has put things. */
    static Stage open(Settings settings) throws IOException, InterruptedException {
        Path target = Path.of(settings.get("target")).toAbsolutePath();
        Path folder = Files.createTempDirectory(Files.createDirectories(target.resolve("work")), "stage-");
        int port;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        var broker = JavaProcess.start(
                Implementation.classPath(target, "kafka"),
                List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC"),
                EmbeddedBroker.class.getName(),
                List.of(folder.resolve("broker").toString(), Integer.toString(port)),
                folder.resolve("broker.log"));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!broker.isReady()) {
            broker.check();
            if (System.nanoTime() > deadline) {
                broker.kill();
                throw new IllegalStateException("Cannot start the broker in " + PATIENCE.toMinutes() + " min");
            }
            Thread.sleep(50);
        }
        return new Stage(target, folder, broker, "127.0.0.1:" + port);
    }

    /** A run of one worker, with a name that no other has and an empty output. */
    Run run(Settings settings, Implementation implementation) throws Exception {
        runs++;
        return new Run(this, settings, implementation, "run" + runs + "-" + implementation);
    }

    /**
     * Sees to it that a worker's input holds so many records, and nothing but these (and markers of Weir's after them).
     *
     * @return what a correct worker must make of it
     */
    Ledger fill(String topic, String distribution, int records, int keys)
            throws ExecutionException, InterruptedException {
        String description = distribution + " " + records + " " + keys;
        Content content = inputs.get(topic);
        if (content == null || !content.description.equals(description)) {
            content = new Content(description, empty(topic, keys));
            try (var load = new Load(bootstrap, topic, content.ledger)) {
                load.sendAll(records, Load.ids(distribution, keys));
            }
            inputs.put(topic, content);
        }
        return content.ledger;
    }

    /** Empties a worker's input; what is sent to it is not used for other runs. */
    Ledger empty(String topic, int keys) throws ExecutionException, InterruptedException {
        inputs.remove(topic);
        topics.recreate(topic);
        return new Ledger(keys);
    }

    /** Says that a worker's input is not what it was. */
    void changed(String topic) {
        inputs.remove(topic);
    }

    Path target() {
        return target;
    }

    Path folder() {
        return folder;
    }

    Topics topics() {
        return topics;
    }

    String bootstrap() {
        return bootstrap;
    }

    ProcessFacts broker() {
        return broker.facts();
    }

    @Override
    public void close() throws InterruptedException, IOException {
        topics.close();
        broker.close();
        Folders.delete(folder.resolve("broker"));
    }
}
