package dev.weir.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.EmbeddedBroker;
import dev.weir.fixture.KafkaProxy;
import dev.weir.fixture.ProxiedBroker;
import dev.weir.fixture.ProxyFault;
import dev.weir.status.ThreadStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A network that parts a worker from its brokers for longer than every timeout. */
@Timeout(60)
class NetworkFaultsIT {

    private final KafkaProxy proxy = ProxiedBroker.shared().proxy();

    private static Rig rig() {
        return Rig.behindProxy(setup -> {
            setup.commitInterval = Duration.ofMillis(100);
            setup.commitDeadline = Duration.ofMillis(1_500);
            setup.request = Duration.ofSeconds(1);
            setup.session = Duration.ofMillis(1_500);
            setup.maxPollInterval = Duration.ofSeconds(6);
            setup.transactionTimeout = Duration.ofSeconds(60);
            setup.slotGrace = Duration.ofSeconds(2);
        });
    }

    static Stream<Arguments> ways() {
        return Stream.of(
                Arguments.of("nothing reaches the broker", (Function<ProxyFault.Chosen, ProxyFault>)
                        ProxyFault.Chosen::swallowRequests),
                Arguments.of("nothing comes back from it", (Function<ProxyFault.Chosen, ProxyFault>)
                        ProxyFault.Chosen::swallowReplies),
                Arguments.of("everything is cut at once", (Function<ProxyFault.Chosen, ProxyFault>)
                        ProxyFault.Chosen::loseRequests));
    }

    @ParameterizedTest(name = "network-parted (F2, F12, I1, I11): {0}; others take over, and it comes back by itself")
    @MethodSource("ways")
    void networkParted(String way, Function<ProxyFault.Chosen, ProxyFault> parted) throws Exception {
        try (var rig = rig()) {
            var a = rig.service("a").withoutCoordinator().run();
            var b = rig.service("b").run();
            rig.await(
                    "the tasks are shared",
                    () -> a.running().size() == 1 && b.running().size() == 1);
            rig.startTrickle(5, Duration.ofMillis(20));
            rig.awaitNextCheckpoint();
            try (var fault = parted.apply(proxy.on().from(a.slot()))) {
                rig.await("the other one has all tasks", () -> b.running().size() == 2);
                rig.awaitNextCheckpoint();
                assertThat(fault.hits()).as(way).isPositive();
            }
            rig.await("it is back", () -> a.running().size() == 1 && b.running().size() == 1);
            rig.finish();
            assertThat(a.status()).extracting(ThreadStatus::failure).containsOnlyNulls();
        }
    }

    @Test
    @DisplayName(
            "network-parted (F4, F12, I1, I11): none of the workers reaches the broker for a while; all of them come back")
    void allParted() throws Exception {
        try (var rig = rig()) {
            var a = rig.service("a").run();
            var b = rig.service("b").run();
            rig.await(
                    "the tasks are shared",
                    () -> a.running().size() == 1 && b.running().size() == 1);
            rig.startTrickle(5, Duration.ofMillis(20));
            rig.awaitNextCheckpoint();
            // Their consumers, producers, and what reads and writes the control topic.
            try (var fault = proxy.on().swallowRequests()) {
                fault.awaitHits(1, Duration.ofSeconds(5));
                rig.await(
                        "their sessions are over",
                        () -> rig.cluster().memberInstances(rig.group()).isEmpty());
            }
            rig.await(
                    "they are back",
                    () -> a.running().size() == 1 && b.running().size() == 1);
            rig.finish();
            for (var service : List.of(a, b)) {
                assertThat(service.failure()).isNull();
                assertThat(service.status()).extracting(ThreadStatus::failure).containsOnlyNulls();
            }
        }
    }

    @Test
    @DisplayName(
            "broker-restart (F4, I1, I4, I11): the broker goes away and comes back; the workers go on by themselves")
    void brokerRestart(@TempDir Path folder) throws Exception {
        try (var own = KafkaProxy.start()) {
            int port = EmbeddedBroker.freePort();
            var broker = EmbeddedBroker.startBehind(own, folder, port);
            try (var rig = Rig.on(
                    broker,
                    setup -> {
                        setup.address = own.bootstrapServers();
                        // A broker that ends while the leader writes its decisions may leave them in a transaction that
                        // its
                        // own coordinator has forgotten (seen with 4.3.1). This test is about the workers.
                        setup.checkpointInterval = Duration.ofSeconds(8);
                        setup.commitInterval = Duration.ofMillis(100);
                        setup.request = Duration.ofSeconds(1);
                        setup.commitDeadline = Duration.ofMillis(1_500);
                        setup.transactionTimeout = Duration.ofSeconds(60);
                    },
                    null)) {
                var a = rig.service("a").run();
                var b = rig.service("b").run();
                rig.await(
                        "the tasks are shared",
                        () -> a.running().size() == 1 && b.running().size() == 1);
                rig.produce(100);
                rig.awaitCaughtUp();
                int commits = a.events().commits.get() + b.events().commits.get();
                // What a leader of the new epoch is asked about positions takes longer than the clients have patience.
                try (var slow = own.on(ApiKeys.OFFSET_FOR_LEADER_EPOCH).times(4).swallowRequests()) {
                    rig.produce(100);
                    broker.close();
                    broker = EmbeddedBroker.startBehind(own, folder, port);
                    slow.awaitHits(2, Duration.ofSeconds(15));
                    rig.produce(100);
                }
                rig.await(
                        "they commit again",
                        () -> a.events().commits.get() + b.events().commits.get() > commits
                                || a.failure() != null
                                || b.failure() != null);
                for (var service : List.of(a, b)) {
                    assertThat(service.failure()).isNull();
                    assertThat(service.status())
                            .extracting(ThreadStatus::failure)
                            .containsOnlyNulls();
                }
                rig.finish();
            } finally {
                broker.close();
            }
        }
    }
}
