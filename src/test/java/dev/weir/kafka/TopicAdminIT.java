package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.TransientException;
import dev.weir.fixture.KafkaBroker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopicAdminIT {

    @Test
    void brokersTellTheirLimitsAndTheirTransactionVersion() {
        try (var cluster = cluster("admin", KafkaBroker.shared().bootstrapServers())) {
            var settings = cluster.brokerSettings();
            assertThat(settings.transactionVersion()).isEqualTo(2);
            assertThat(settings.maxTransactionTimeoutMillis()).isEqualTo(900_000);
            assertThat(settings.minSessionMillis()).isEqualTo(1_000);
            assertThat(settings.maxSessionMillis()).isEqualTo(1_800_000);
        }
    }

    @Test
    void aTopicIsCreatedOnceWithItsSettings() {
        try (var cluster = cluster("admin", KafkaBroker.shared().bootstrapServers())) {
            assertThat(cluster.createTopic("admin-t", 3, (short) -1, Map.of("cleanup.policy", "compact,delete")))
                    .isTrue();
            assertThat(cluster.createTopic("admin-t", 3, (short) -1, Map.of())).isFalse();
            var described = cluster.describeTopics(List.of("admin-t"));
            assertThat(described.values()).singleElement().satisfies(topic -> {
                assertThat(topic.partitions()).isEqualTo(3);
                assertThat(topic.cleanup()).containsExactlyInAnyOrder(KafkaCluster.CleanupPolicy.values());
            });
            assertThat(cluster.writePermission("admin-t")).isEqualTo(TopicAdmin.Permission.GRANTED);
        }
    }

    @Test
    void aControlTopicWithTwoPartitionsIsRefused() {
        try (var cluster = cluster("two", KafkaBroker.shared().bootstrapServers())) {
            cluster.createTopic("weir.two.control", 2, (short) -1, Map.of());
            assertThatThrownBy(cluster::openControlWriter)
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("2 partitions");
        }
    }

    @Test
    void brokersThatDoNotAnswerAreATransientFailure() throws IOException {
        int unused;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            unused = socket.getLocalPort();
        }
        try (var cluster = cluster("none", "127.0.0.1:" + unused)) {
            assertThatThrownBy(cluster::clusterId).isInstanceOf(TransientException.class);
            assertThatThrownBy(() -> cluster.openSink("tx")).isInstanceOf(TransientException.class);
        }
    }

    @Test
    void aBrokerOfOnesOwnReallyStops() {
        String address;
        try (var broker = KafkaBroker.start()) {
            address = broker.bootstrapServers();
            try (var cluster = cluster("own", address)) {
                assertThat(cluster.clusterId()).isNotBlank();
            }
        }
        try (var cluster = cluster("own", address)) {
            assertThatThrownBy(cluster::clusterId).isInstanceOf(TransientException.class);
        }
    }

    private static ClientKafkaCluster cluster(String domain, String bootstrap) {
        return new ClientKafkaCluster(ClusterSettings.of(domain, Map.of("bootstrap.servers", bootstrap))
                .withTimeouts(new ClusterSettings.Timeouts(
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(15),
                        Duration.ofSeconds(2))));
    }
}
