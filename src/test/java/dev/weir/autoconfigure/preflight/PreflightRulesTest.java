package dev.weir.autoconfigure.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.autoconfigure.preflight.Finding.Severity;
import dev.weir.topology.ProcessorSpec;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PreflightRulesTest {

    private static final Facts.Topic TOPIC = new Facts.Topic(4, false, 1000L, 1_048_588, true, true);
    private static final Facts.Topic CONTROL = new Facts.Topic(1, false, -1L, null, null, null);
    private static final Facts.Disk DISK = new Facts.Disk("state", null, 10L << 30, "/tmp", true);

    private final Map<String, Facts.Topic> topics =
            new HashMap<>(Map.of("in-a", TOPIC, "in-b", TOPIC, "out", TOPIC, "dead", TOPIC, "control", CONTROL));

    private static Requirements wanted(Set<String> byOffset) {
        var processor = new ProcessorSpec("p", List.of("in-a", "in-b"), List.of("out"), List.of());
        return new Requirements(
                List.of(processor),
                "control",
                "dead",
                byOffset,
                4,
                Duration.ofSeconds(60),
                Duration.ofSeconds(45),
                Duration.ofMinutes(5),
                1_048_576);
    }

    private Facts.Kafka kafka() {
        return new Facts.Kafka("host:1", 2, 900_000L, 6_000L, 1_800_000L, topics, Set.of());
    }

    private static Facts facts(Facts.@Nullable Kafka kafka) {
        return new Facts(kafka, kafka == null ? "timed out" : null, "s3://bucket", null, false, DISK);
    }

    private List<Finding> judge() {
        return PreflightRules.judge(wanted(Set.of()), facts(kafka()));
    }

    private static void is(List<Finding> findings, Severity severity, String sentence) {
        assertThat(findings).extracting(Finding::sentence).containsExactly(sentence);
        assertThat(findings).extracting(Finding::severity).containsExactly(severity);
    }

    @Test
    void whatIsAsItShouldBeIsNotMentioned() {
        assertThat(judge()).isEmpty();
    }

    @Test
    void aClusterThatDoesNotAnswerIsOneError() {
        is(
                PreflightRules.judge(wanted(Set.of()), facts(null)),
                Severity.ERROR,
                "The Kafka cluster is not reachable (timed out), but everything is read from and written to it; check"
                        + " spring.kafka.bootstrap-servers and spring.kafka.security");
    }

    @Test
    void oldTransactionsAreRefused() {
        is(
                PreflightRules.judge(
                        wanted(Set.of()), facts(new Facts.Kafka("host:1", 1, null, null, null, topics, Set.of()))),
                Severity.ERROR,
                "The cluster's feature transaction.version is 1, but below 2 a delayed request of an old transaction can end a"
                        + " new one; upgrade the brokers to Kafka 4.0 or newer and run: kafka-features.sh --bootstrap-server"
                        + " host:1 upgrade --feature transaction.version=2");
    }

    @Test
    void timeoutsMustFitTheBrokers() {
        var findings = PreflightRules.judge(
                wanted(Set.of()), facts(new Facts.Kafka("host:1", 2, 59_999L, 45_001L, 50_000L, topics, Set.of())));
        assertThat(findings)
                .extracting(Finding::sentence)
                .containsExactly(
                        "weir.transaction.timeout is 60000ms, but the brokers allow 59999ms (transaction.max.timeout.ms); lower"
                                + " the first or raise the second",
                        "The consumers' session.timeout.ms is 45000ms, but the brokers allow 45001 to 50000 ms"
                                + " (group.min.session.timeout.ms, group.max.session.timeout.ms); set"
                                + " spring.kafka.consumer.properties.session.timeout.ms into that range");
        assertThat(PreflightRules.judge(
                        wanted(Set.of()),
                        facts(new Facts.Kafka("host:1", 2, 60_000L, 45_000L, 45_000L, topics, Set.of()))))
                .isEmpty();
    }

    @Test
    void absentTopicsAreNamedWithTheirRoleButNotTheControlTopicWhichWeirCreates() {
        topics.clear();
        assertThat(judge())
                .extracting(Finding::sentence)
                .containsExactly(
                        "Topic dead is absent, but it is the dead-letter topic; create it, or set weir.topics.create to true",
                        "Topic in-a is absent, but it is an input of processor p, which markers are written to; create it, or"
                                + " set weir.topics.create to true",
                        "Topic in-b is absent, but it is an input of processor p, which markers are written to; create it, or"
                                + " set weir.topics.create to true",
                        "Topic out is absent, but it is an output of processor p; create it, or set weir.topics.create to true");
    }

    @Test
    void aTopicThatMayNotBeSeenIsNotCalledAbsent() {
        topics.remove("out");
        is(
                PreflightRules.judge(
                        wanted(Set.of()), facts(new Facts.Kafka("h", 2, null, null, null, topics, Set.of("out")))),
                Severity.ERROR,
                "Topic out is not visible to this principal, but it is an output of processor p; grant DESCRIBE and WRITE on it");
    }

    @Test
    void inputsMustHaveTheSameNumberOfPartitions() {
        topics.put("in-b", new Facts.Topic(5, false, null, null, null, null));
        is(
                judge(),
                Severity.ERROR,
                "The number of partitions of processor p's inputs is {in-a=4, in-b=5}, but task i reads partition i of each;"
                        + " give all the same number");
    }

    @Test
    void idleThreadsAreAWarning() {
        topics.put("in-a", new Facts.Topic(3, false, null, null, null, null));
        topics.put("in-b", new Facts.Topic(3, false, null, null, null, null));
        is(
                judge(),
                Severity.WARNING,
                "weir.concurrency is 4, but processor p has 3 tasks, so that threads stay idle; lower it to 3 or less");
    }

    @Test
    void markersInACompactedInputAreAWarningUnlessNoneAreWritten() {
        topics.put("in-a", new Facts.Topic(4, true, null, null, null, null));
        assertThat(judge()).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.WARNING);
            assertThat(finding.sentence()).startsWith("Input in-a is compacted, but ");
        });
        assertThat(PreflightRules.judge(wanted(Set.of("in-a")), facts(kafka()))).isEmpty();
    }

    @Test
    void theControlTopicMustKeepEverythingInOneOrder() {
        topics.put("control", new Facts.Topic(3, true, 1000L, null, null, null));
        assertThat(judge())
                .extracting(Finding::sentence)
                .containsExactly(
                        "Control topic control is of 3 partitions, but its records have one order; create it with 1",
                        "Control topic control is compacted, but every record of it is needed until it is trimmed; set its"
                                + " cleanup.policy to delete and its retention.ms to -1",
                        "Control topic control is deleted after 1000ms, but every record of it is needed until it is trimmed;"
                                + " set its retention.ms to -1");
    }

    @Test
    void whatIsWrittenMustBeWritable() {
        topics.replaceAll((name, topic) -> new Facts.Topic(topic.partitions(), false, -1L, null, true, false));
        assertThat(PreflightRules.judge(wanted(Set.of("in-b")), facts(kafka())))
                .extracting(Finding::sentence)
                .containsExactly(
                        "Topic control is not writable for this principal, but it is the domain's control topic; grant WRITE on it",
                        "Topic dead is not writable for this principal, but it is the dead-letter topic; grant WRITE on it",
                        "Topic in-a is not writable for this principal, but it is an input of processor p, which markers are"
                                + " written to; grant WRITE on it, or set weir.topic[in-a].barriers to by-offset",
                        "Topic out is not writable for this principal, but it is an output of processor p; grant WRITE on it");
    }

    @Test
    void whatIsReadMustBeReadable() {
        topics.replaceAll((name, topic) -> new Facts.Topic(topic.partitions(), false, -1L, null, false, true));
        assertThat(judge()).extracting(Finding::subject).containsExactly("Topic control", "Topic in-a", "Topic in-b");
    }

    @Test
    void aTopicThatTakesLessThanAProducerSendsIsAWarning() {
        topics.put("out", new Facts.Topic(4, false, null, 1000, null, null));
        assertThat(judge()).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.WARNING);
            assertThat(finding.value()).isEqualTo("1048576 bytes");
            assertThat(finding.rule()).startsWith("topic out takes 1000 bytes");
        });
    }

    @Test
    void storeAndDiskMustBeUsable() {
        var broken = new Facts(
                kafka(), null, "s3://bucket", "403", false, new Facts.Disk("state", "read-only", 0, "/tmp", false));
        assertThat(PreflightRules.judge(wanted(Set.of()), broken))
                .extracting(Finding::sentence)
                .containsExactly(
                        "The object store s3://bucket is not usable (403), but state is durable only there; check weir.store",
                        "The state directory state is not usable (read-only), but tasks keep their state in it; set"
                                + " weir.state.directory to a folder that this process can write to",
                        "The folder /tmp is mounted without leave to execute, but RocksDB unpacks its native library there; set"
                                + " the environment variable ROCKSDB_SHAREDLIB_DIR, or -Djava.io.tmpdir, to another folder");
    }

    @Test
    void littleSpaceAndAStoreInMemoryAreWarnings() {
        var poor =
                new Facts(kafka(), null, "memory", null, true, new Facts.Disk("state", null, 5L << 20, "/tmp", true));
        assertThat(PreflightRules.judge(wanted(Set.of()), poor))
                .extracting(Finding::severity)
                .containsExactly(Severity.WARNING, Severity.WARNING);
    }

    @Test
    void errorsComeFirst() {
        topics.put("in-a", new Facts.Topic(4, true, null, null, null, null));
        topics.remove("out");
        var findings = PreflightRules.judge(wanted(Set.of()), facts(kafka()));
        assertThat(findings).extracting(Finding::severity).containsExactly(Severity.ERROR, Severity.WARNING);
    }
}
