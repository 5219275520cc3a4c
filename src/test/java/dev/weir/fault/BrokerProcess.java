package dev.weir.fault;

import dev.weir.fixture.EmbeddedBroker;
import dev.weir.fixture.KafkaBroker;
import dev.weir.fixture.KafkaProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A broker in a JVM of its own, behind a proxy for those who go through it, that can be killed and started again. */
final class BrokerProcess implements KafkaBroker {

    private final Path folder;
    private final KafkaProxy proxy;
    private final int port;
    private JavaProcess process;
    private int starts;

    private BrokerProcess(Path folder, KafkaProxy proxy) throws IOException {
        this.folder = folder;
        this.proxy = proxy;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            this.port = socket.getLocalPort();
        }
        this.process = launch();
    }

    static BrokerProcess start(Path folder, KafkaProxy proxy) throws IOException {
        return new BrokerProcess(folder, proxy);
    }

    private JavaProcess launch() throws IOException {
        var started = JavaProcess.start(
                folder.resolve("broker-" + ++starts + ".log"),
                List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                EmbeddedBroker.class.getName(),
                List.of(
                        folder.resolve("broker").toString(),
                        Integer.toString(port),
                        Integer.toString(proxy.targetPort()),
                        Integer.toString(proxy.port())));
        started.awaitSaid("READY ", Duration.ofSeconds(90));
        return started;
    }

    /** Kills it with SIGKILL and starts it again on its logs. */
    void killAndRestart() {
        try {
            process.kill();
            process = launch();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    @Override
    public void close() {
        process.end(Duration.ofSeconds(20));
    }
}
