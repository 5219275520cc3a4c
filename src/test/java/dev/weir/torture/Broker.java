package dev.weir.torture;

import dev.weir.fixture.EmbeddedBroker;
import dev.weir.fixture.KafkaProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/** A broker in a JVM of its own, which can be killed and started again on its folder. Workers reach it through a proxy. */
final class Broker implements AutoCloseable {

    private final Path folder;
    private final int port = freePort();
    private final KafkaProxy proxy = KafkaProxy.start();
    private final Classes classes;
    private JavaChild child;

    Broker(Path folder, Classes classes) {
        this.folder = folder;
        this.classes = classes;
        child = launch();
        awaitReady();
    }

    private JavaChild launch() {
        return JavaChild.start(
                folder.resolve("broker.log"),
                List.of(),
                arguments(),
                EmbeddedBroker.class,
                List.of(
                        folder.resolve("broker").toString(),
                        Integer.toString(port),
                        Integer.toString(proxy.targetPort()),
                        Integer.toString(proxy.port())));
    }

    private List<String> arguments() {
        var arguments = new ArrayList<>(List.of("-Xmx400m"));
        arguments.addAll(classes.arguments("broker"));
        return arguments;
    }

    private void awaitReady() {
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> listens(port) && listens(proxy.targetPort()));
    }

    /** Where the campaign finds it. */
    String direct() {
        return "127.0.0.1:" + port;
    }

    /** Where workers find it. */
    String proxied() {
        return proxy.bootstrapServers();
    }

    KafkaProxy proxy() {
        return proxy;
    }

    /** SIGKILL, and a new start on the same folder. */
    int killAndRestart() {
        int code = child.kill();
        child = launch();
        awaitReady();
        return code;
    }

    private static boolean listens(int port) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        child.terminate();
        if (!child.endsWithin(classes.isArchived("broker") ? 2_000 : 30_000)) {
            child.kill();
        }
        proxy.close();
    }
}
