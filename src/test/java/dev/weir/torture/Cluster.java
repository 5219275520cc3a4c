package dev.weir.torture;

import dev.weir.fixture.EmbeddedBroker;
import dev.weir.fixture.KafkaProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Three brokers, each in a JVM of its own: three replicas, of which two must have what is acknowledged. They can be killed and started
 * again on their folders. Workers reach each through a proxy. All seeds of a campaign use them.
 */
final class Cluster implements AutoCloseable {

    static final int NODES = 3;

    private static final Duration SOUND = Duration.ofSeconds(120);

    private final List<Node> nodes = new ArrayList<>();
    private final Admin admin;

    private final class Node {

        final int number;
        final Path folder;
        final Path log;
        final int port;
        final int controllerPort;
        final KafkaProxy proxy;
        private @Nullable JavaChild child;

        Node(int number, Path folder, InetAddress address) throws IOException {
            this.number = number;
            this.folder = folder.resolve("node-" + number);
            this.log = folder.resolve("node-" + number + ".log");
            this.port = EmbeddedBroker.freePort();
            this.controllerPort = EmbeddedBroker.freePort();
            this.proxy = KafkaProxy.start(address, EmbeddedBroker.freePort());
        }

        void launch(Classes classes, String voters) {
            var jvm = new ArrayList<>(List.of("-Xms96m", "-Xmx288m"));
            jvm.addAll(classes.plain());
            var arguments = new ArrayList<>(List.of(folder.toString(), Integer.toString(port)));
            settings(voters).forEach((name, value) -> arguments.add(name + "=" + value));
            child = JavaChild.start(log, List.of(), jvm, BrokerNode.class, arguments);
        }

        private Map<String, String> settings(String voters) {
            var settings = new TreeMap<String, String>();
            var own = "PLAINTEXT://127.0.0.1:" + port;
            settings.put("node.id", Integer.toString(number));
            settings.put("controller.quorum.voters", voters);
            settings.put(
                    "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT");
            settings.put("inter.broker.listener.name", "PLAINTEXT");
            settings.put(
                    "listeners",
                    own + ",PROXIED://127.0.0.1:" + proxy.targetPort() + ",CONTROLLER://127.0.0.1:" + controllerPort);
            settings.put("advertised.listeners", own + ",PROXIED://" + proxy.bootstrapServers());
            settings.put("default.replication.factor", "3");
            settings.put("min.insync.replicas", "2");
            settings.put("offsets.topic.replication.factor", "3");
            settings.put("transaction.state.log.replication.factor", "3");
            settings.put("transaction.state.log.min.isr", "2");
            settings.put("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000");
            settings.put("broker.session.timeout.ms", "6000");
            settings.put("replica.lag.time.max.ms", "10000");
            return settings;
        }

        JavaChild child() {
            if (child == null) {
                throw new IllegalStateException("Broker " + number + " was never started");
            }
            return child;
        }
    }

    private final Classes classes;
    private final String voters;

    /** Starts them in a folder; the proxies listen at the address. */
    Cluster(Path folder, Classes classes, InetAddress address) {
        this.classes = classes;
        try {
            for (int number = 1; number <= NODES; number++) {
                nodes.add(new Node(number, folder, address));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        voters = nodes.stream()
                .map(node -> node.number + "@127.0.0.1:" + node.controllerPort)
                .collect(Collectors.joining(","));
        nodes.forEach(node -> node.launch(classes, voters));
        admin = Admin.create(
                Map.of("bootstrap.servers", direct(), "request.timeout.ms", 5_000, "default.api.timeout.ms", 10_000));
        awaitSound();
    }

    /** Where the campaign finds it. */
    String direct() {
        return nodes.stream().map(node -> "127.0.0.1:" + node.port).collect(Collectors.joining(","));
    }

    /** Where workers find it. */
    String proxied() {
        return nodes.stream().map(node -> node.proxy.bootstrapServers()).collect(Collectors.joining(","));
    }

    /** One in front of each. */
    List<KafkaProxy> proxies() {
        return nodes.stream().map(node -> node.proxy).toList();
    }

    /** SIGKILL to one of them; its exit code. */
    int kill(int index) {
        return nodes.get(index).child().kill();
    }

    /** Stops one in good order; its exit code. */
    int stop(int index) {
        var child = nodes.get(index).child();
        child.terminate();
        if (!child.endsWithin(60_000)) {
            return child.kill();
        }
        return child.await(1);
    }

    /** Starts one again that is not there; returns at once. */
    void launch(int index) {
        nodes.get(index).launch(classes, voters);
    }

    /** Waits until all are there and every replica has what it has to have. */
    void awaitSound() {
        Awaitility.await().atMost(SOUND).pollInterval(Duration.ofMillis(200)).until(this::isSound);
    }

    /** Whether all are there and every replica has what it has to have. */
    boolean isSound() {
        try {
            if (admin.describeCluster().nodes().get().size() < NODES) {
                return false;
            }
            var topics = admin.listTopics(new ListTopicsOptions().listInternal(true))
                    .names()
                    .get();
            return admin.describeTopics(topics).allTopicNames().get().values().stream()
                    .flatMap(topic -> topic.partitions().stream())
                    .allMatch(partition -> partition.leader() != null
                            && partition.isr().size() == partition.replicas().size());
        } catch (ExecutionException notYet) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Deletes topics, if they are there, and waits until they are not. */
    void delete(Set<String> topics) throws Exception {
        for (var topic : topics) {
            try {
                admin.deleteTopics(List.of(topic)).all().get();
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw e;
                }
            }
        }
        Awaitility.await().atMost(SOUND).until(() -> {
            var left = new HashSet<>(admin.listTopics().names().get());
            left.retainAll(topics);
            return left.isEmpty();
        });
    }

    @Override
    public void close() {
        admin.close();
        nodes.forEach(node -> {
            node.child().kill();
            node.proxy.close();
        });
    }
}
