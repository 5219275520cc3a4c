package dev.weir.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.unit.DataSize;

class PropertyRulesTest {

    private static WeirProperties bind(Map<String, String> values) {
        var all = new HashMap<String, String>(Map.of("weir.store.type", "memory"));
        all.putAll(values);
        all.values().removeIf(String::isEmpty);
        return new Binder(new MapConfigurationPropertySource(all)).bindOrCreate("weir", WeirProperties.class);
    }

    private static List<String> violations(Map<String, String> values) {
        return PropertyRules.violations(bind(values), "shop");
    }

    @Test
    void defaultsArePossible() {
        assertThat(violations(Map.of())).isEmpty();
        var defaults = bind(Map.of());
        assertThat(defaults.checkpoint().interval()).isEqualTo(Duration.ofSeconds(10));
        assertThat(defaults.transaction().timeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(defaults.state().directory()).isEqualTo(Path.of("weir-state"));
        assertThat(defaults.limits().overlayBytes()).isEqualTo(DataSize.ofMegabytes(64));
        assertThat(defaults.commit().interval()).isNull();
        assertThat(defaults.processing().onError()).isEqualTo(WeirProperties.Processing.OnError.STOP);
        assertThat(defaults.topics().create()).isFalse();
    }

    @Test
    void valuesAreBoundInTheirUnits() {
        var bound = bind(Map.of(
                "weir.commit.interval", "250ms",
                "weir.state.block-cache", "1GB",
                "weir.topic[flights.v1].barriers", "by-offset",
                "weir.topic.plain.value-serde", "org.apache.kafka.common.serialization.Serdes$LongSerde",
                "weir.processing.on-error", "dead-letter",
                "weir.processing.dead-letter-topic", "dead",
                "weir.store.type", "s3",
                "weir.store.s3.bucket", "bucket",
                "weir.store.s3.checksums", "when-required",
                "weir.shutdown.departure", "stay-member"));
        assertThat(bound.commit().interval()).isEqualTo(Duration.ofMillis(250));
        assertThat(bound.state().blockCache()).isEqualTo(DataSize.ofGigabytes(1));
        assertThat(bound.topic().get("flights.v1"))
                .isEqualTo(new WeirProperties.Topic(WeirProperties.Topic.Barriers.BY_OFFSET, null, null));
        assertThat(bound.topic().get("plain"))
                .isEqualTo(
                        new WeirProperties.Topic(WeirProperties.Topic.Barriers.IN_BAND, null, Serdes.LongSerde.class));
        assertThat(bound.store().s3().checksums()).isEqualTo(WeirProperties.S3.Checksums.WHEN_REQUIRED);
        assertThat(bound.shutdown().departure()).isEqualTo(WeirProperties.Shutdown.Departure.STAY_MEMBER);
        assertThat(PropertyRules.violations(bound, "shop")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "weir.domain|a b|weir.domain is 'a b', and a domain's name has 1 to 60 letters, digits, '.', '-' and '_'; set weir.domain to such a name",
                "weir.instance-id|a.b|weir.instance-id is 'a.b', and an instance's name has 1 to 100 letters, digits, '-' and '_'; correct it",
                "weir.start-from|yesterday|weir.start-from is 'yesterday'; set it to earliest, latest or a time such as 2026-01-31T00:00:00Z",
                "weir.checkpoint.interval|0s|weir.checkpoint.interval is 0s; set it to more than zero",
                "weir.commit.interval|-5ms|weir.commit.interval is -5ms; set it to more than zero",
                "weir.concurrency|0|weir.concurrency is 0; set it to 1 or more",
                "weir.limits.overlay-bytes|1KB|weir.limits.overlay-bytes is 1024B; set it to 1048576B or more",
                "weir.state.write-buffers|65MB|weir.state.write-buffers is 68157440B, more than half of weir.state.block-cache (134217728B), which they are part of; lower the first or raise the second",
                "weir.base.share|0|weir.base.share is 0.0; set it to more than 0",
                "weir.topics.partitions|0|weir.topics.partitions is 0; set it to 1 or more",
                "weir.alignment.timeout|21s|weir.alignment.timeout is 21s, more than a third of weir.transaction.timeout (20s), after which an epoch must end; lower the first or raise the second",
                "weir.checkpoint.timeout|5s|weir.checkpoint.timeout is 5s, not more than weir.alignment.timeout (5s), so that late checkpoints could never complete; raise the first",
                "weir.commit.mode|continuous|weir.commit.mode is continuous, which this version does not have; set it to checkpoint and weir.commit.interval to commit more often",
                "weir.processing.on-error|dead-letter|weir.processing.on-error is dead-letter, but weir.processing.dead-letter-topic is not set; set it",
                "weir.processing.dead-letter-topic|dead|weir.processing.dead-letter-topic is 'dead', but weir.processing.on-error is stop; set that to dead-letter or remove the topic",
                "weir.store.type|''|weir.store.type is not set; set it to s3, to file for one machine or a shared file system, or to memory for tests",
                "weir.store.type|file|weir.store.type is file, but weir.store.path is not set; set it to a folder",
                "weir.store.type|s3|weir.store.type is s3, but weir.store.s3.bucket is not set; set it to the name of a bucket",
                "weir.store.path|x|weir.store.path is set, but weir.store.type is memory; remove the path or set the type to file",
                "weir.store.s3.bucket|x|weir.store.s3.bucket is set, but weir.store.type is memory; remove the bucket or set the type to s3",
            })
    void eachImpossibleValueIsRefusedWithOneSentence(String name, String value, String sentence) {
        assertThat(violations(Map.of(name, value))).containsExactly("Cannot use the configuration: " + sentence);
    }

    @Test
    void aDomainIsNeeded() {
        assertThat(PropertyRules.violations(bind(Map.of()), null))
                .containsExactly(
                        "Cannot use the configuration: weir.domain is not set and neither is spring.application.name;"
                                + " set one of them");
        assertThat(PropertyRules.violations(bind(Map.of("weir.domain", "d")), null))
                .isEmpty();
    }

    @Test
    void aTimeIsAPossibleStart() {
        assertThat(violations(Map.of("weir.start-from", "2026-01-31T00:00:00Z")))
                .isEmpty();
        assertThat(violations(Map.of("weir.start-from", "latest"))).isEmpty();
    }
}
