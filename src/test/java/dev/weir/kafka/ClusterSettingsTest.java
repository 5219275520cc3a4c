package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.ConfigurationException;
import dev.weir.kafka.ClusterSettings.Fetch;
import dev.weir.kafka.ClusterSettings.Timeouts;
import dev.weir.kafka.KafkaCluster.SourceSettings;
import dev.weir.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.junit.jupiter.api.Test;

class ClusterSettingsTest {

    @Test
    void propertiesThatCorrectnessNeedsAreReportedOneByOne() {
        var settings = ClusterSettings.of(
                "orders",
                Map.of(
                        "isolation.level", "read_uncommitted",
                        "enable.auto.commit", true,
                        "auto.offset.reset", "earliest",
                        "group.protocol", "consumer",
                        "enable.idempotence", "false",
                        "acks", 1,
                        "partition.assignment.strategy", List.of(CooperativeStickyAssignor.class)));

        assertThat(settings.conflicts())
                .hasSize(7)
                .anySatisfy(conflict -> assertThat(conflict)
                        .startsWith("Cannot use isolation.level=read_uncommitted: it must be read_committed"))
                .anySatisfy(conflict -> assertThat(conflict).startsWith("Cannot use acks=1: it must be all"))
                .anySatisfy(conflict -> assertThat(conflict).contains("CooperativeStickyAssignor"));
    }

    @Test
    void propertiesThatAgreeAreNoConflict() {
        var settings = ClusterSettings.of(
                "orders",
                Map.of(
                        "bootstrap.servers", "x:1",
                        "isolation.level", "READ_COMMITTED",
                        "enable.auto.commit", "false",
                        "auto.offset.reset", "none",
                        "group.protocol", "CLASSIC",
                        "enable.idempotence", true,
                        "acks", "-1",
                        "partition.assignment.strategy", CoPartitionedAssignor.class.getName()));

        assertThat(settings.conflicts()).isEmpty();
    }

    @Test
    void whatIsFixedWinsAndTheRestIsTheUsers() {
        var settings = ClusterSettings.of(
                "orders",
                Map.of(
                        "isolation.level", "read_uncommitted",
                        "max.poll.records", 7,
                        "compression.type", "zstd",
                        "acks", "1",
                        "sasl.mechanism", "PLAIN"));
        var source = settings.sourceProperties(
                new SourceSettings("g", "i", List.of("t"), Set.of()),
                new Membership(List.of("t"), Set.of(), Clock.system()));
        var sink = settings.sinkProperties("tx");

        assertThat(source)
                .containsEntry("isolation.level", "read_committed")
                .containsEntry("max.poll.records", 7)
                .containsEntry("sasl.mechanism", "PLAIN")
                .containsEntry("group.instance.id", "i");
        assertThat(sink)
                .containsEntry("acks", "all")
                .containsEntry("compression.type", "zstd")
                .containsEntry("transactional.id", "tx")
                .containsEntry("batch.size", 131_072);
        assertThat((Integer) sink.get("delivery.timeout.ms")).isLessThan((Integer) sink.get("transaction.timeout.ms"));
        assertThat(settings.plainProducerProperties("plain")).doesNotContainKey("transactional.id");
    }

    @Test
    void settingsThatCannotWorkRejectThemselves() {
        var second = Duration.ofSeconds(1);
        var minute = Duration.ofMinutes(1);
        assertThatThrownBy(() -> ClusterSettings.of("or ders", Map.of()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("or ders");
        assertThatThrownBy(() -> new Timeouts(second, minute, minute, minute, second))
                .isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> new Timeouts(minute, minute, minute, minute, minute))
                .isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> new Timeouts(minute, Duration.ZERO, minute, minute, second))
                .isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> new Timeouts(minute, minute, second, minute, second))
                .isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> new Fetch(0, 1, second, 1, 1, 1)).isInstanceOf(ConfigurationException.class);
    }
}
