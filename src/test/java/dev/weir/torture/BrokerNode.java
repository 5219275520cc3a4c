package dev.weir.torture;

import dev.weir.fixture.EmbeddedBroker;
import java.nio.file.Path;
import java.util.TreeMap;

/** One of the brokers, in a JVM of its own. Arguments: its folder, its port, and its settings, {@code name=value} each. */
final class BrokerNode {

    private BrokerNode() {}

    /** Runs it until the process is ended. */
    public static void main(String[] arguments) throws InterruptedException {
        var settings = new TreeMap<String, String>();
        for (int i = 2; i < arguments.length; i++) {
            int at = arguments[i].indexOf('=');
            settings.put(arguments[i].substring(0, at), arguments[i].substring(at + 1));
        }
        var broker = EmbeddedBroker.startNode(Path.of(arguments[0]), Integer.parseInt(arguments[1]), settings);
        Runtime.getRuntime().addShutdownHook(new Thread(broker::close, "kafka-broker-close"));
        Thread.currentThread().join();
    }
}
