package dev.weir.autoconfigure.preflight;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.ConfigurationException;
import dev.weir.fixture.KafkaBroker;
import dev.weir.snapshot.InMemoryObjectStore;
import dev.weir.time.Clock;
import dev.weir.topology.ProcessorSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real broker, disk and store answer. */
class PreflightIT {

    @TempDir
    private Path folder;

    private static Requirements wanted(Duration transactionTimeout, String... inputs) {
        return new Requirements(
                List.of(new ProcessorSpec("p", List.of(inputs), List.of("preflight-out"), List.of())),
                "weir.preflight.control",
                null,
                Set.of(),
                1,
                transactionTimeout,
                Duration.ofSeconds(45),
                Duration.ofMinutes(5),
                1 << 20);
    }

    private void check(String bootstrap, Requirements wanted) {
        new Preflight(Map.of("bootstrap.servers", bootstrap), Duration.ofSeconds(10))
                .check(wanted, new InMemoryObjectStore(Clock.system()), folder);
    }

    @Test
    void reportsAllThatARealBrokerLacksAtOnceAndNothingWhenItIsMended() {
        var broker = KafkaBroker.shared();
        broker.createTopic("preflight-a", 2);
        broker.createTopic("preflight-b", 3, Map.of("cleanup.policy", "compact"));
        assertThatThrownBy(() ->
                        check(broker.bootstrapServers(), wanted(Duration.ofHours(1), "preflight-a", "preflight-b")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("weir.transaction.timeout is 3600000ms, but the brokers allow 900000ms")
                .hasMessageContaining("Topic preflight-out is absent")
                .hasMessageContaining("inputs is {preflight-a=2, preflight-b=3}");
        broker.createTopic("preflight-out", 1);
        assertThatCode(() -> check(broker.bootstrapServers(), wanted(Duration.ofSeconds(60), "preflight-a")))
                .doesNotThrowAnyException();
    }

    @Test
    void aBrokerThatIsNotThereIsOneSentence() {
        assertThatThrownBy(() -> new Preflight(Map.of("bootstrap.servers", "127.0.0.1:1"), Duration.ofSeconds(2))
                        .check(wanted(Duration.ofSeconds(60), "x"), new InMemoryObjectStore(Clock.system()), folder))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("Cannot start: The Kafka cluster is not reachable (")
                .message()
                .hasLineCount(1);
    }
}
