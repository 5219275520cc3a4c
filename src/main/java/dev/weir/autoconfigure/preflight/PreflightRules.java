package dev.weir.autoconfigure.preflight;

import dev.weir.autoconfigure.preflight.Finding.Severity;
import dev.weir.topology.ProcessorSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Judges facts. */
public final class PreflightRules {

    private static final long LITTLE_SPACE = 1L << 30;

    private final Requirements wanted;
    private final List<Finding> findings = new ArrayList<>();

    private PreflightRules(Requirements wanted) {
        this.wanted = wanted;
    }

    /** Everything that is not as it should be, errors first. */
    public static List<Finding> judge(Requirements wanted, Facts facts) {
        var rules = new PreflightRules(wanted);
        Facts.Kafka kafka = facts.kafka();
        if (kafka == null) {
            rules.error(
                    "The Kafka cluster",
                    "not reachable (" + facts.kafkaFailure() + ")",
                    "everything is read from and written to it",
                    "check spring.kafka.bootstrap-servers and spring.kafka.security");
        } else {
            rules.cluster(kafka);
            rules.topics(kafka);
        }
        rules.store(facts);
        rules.disk(facts.disk());
        return rules.findings.stream()
                .sorted((one, other) -> one.severity().compareTo(other.severity()))
                .toList();
    }

    private void cluster(Facts.Kafka kafka) {
        if (kafka.transactionVersion() < 2) {
            error(
                    "The cluster's feature transaction.version",
                    Integer.toString(kafka.transactionVersion()),
                    "below 2 a delayed request of an old transaction can end a new one",
                    "upgrade the brokers to Kafka 4.0 or newer and run: kafka-features.sh --bootstrap-server "
                            + kafka.bootstrap() + " upgrade --feature transaction.version=2");
        }
        Long maxTransaction = kafka.maxTransactionTimeoutMillis();
        if (maxTransaction != null && wanted.transactionTimeout().toMillis() > maxTransaction) {
            error(
                    "weir.transaction.timeout",
                    text(wanted.transactionTimeout()),
                    "the brokers allow " + maxTransaction + "ms (transaction.max.timeout.ms)",
                    "lower the first or raise the second");
        }
        long session = wanted.sessionTimeout().toMillis();
        Long least = kafka.minSessionTimeoutMillis();
        Long most = kafka.maxSessionTimeoutMillis();
        if ((least != null && session < least) || (most != null && session > most)) {
            error(
                    "The consumers' session.timeout.ms",
                    text(wanted.sessionTimeout()),
                    "the brokers allow " + least + " to " + most + " ms (group.min.session.timeout.ms,"
                            + " group.max.session.timeout.ms)",
                    "set spring.kafka.consumer.properties.session.timeout.ms into that range");
        }
        if (wanted.maxPollInterval().compareTo(wanted.sessionTimeout()) < 0) {
            error(
                    "The consumers' max.poll.interval.ms",
                    text(wanted.maxPollInterval()),
                    "it bounds what a rebalance may take and should be no less than session.timeout.ms ("
                            + text(wanted.sessionTimeout()) + ")",
                    "raise spring.kafka.consumer.max-poll-interval");
        }
    }

    private void topics(Facts.Kafka kafka) {
        for (String topic : wanted.topics()) {
            if (kafka.unauthorized().contains(topic)) {
                error(
                        "Topic " + topic,
                        "not visible to this principal",
                        "it is " + role(topic),
                        "grant DESCRIBE and " + (wanted.inputs().contains(topic) ? "READ" : "WRITE") + " on it");
            } else if (!kafka.topics().containsKey(topic) && !topic.equals(wanted.controlTopic())) {
                error(
                        "Topic " + topic,
                        "absent",
                        "it is " + role(topic),
                        "create it, or set weir.topics.create to true");
            }
        }
        new TreeMap<>(kafka.topics()).forEach(this::topic);
        for (ProcessorSpec processor : wanted.processors()) {
            partitions(processor, kafka);
        }
    }

    private void topic(String name, Facts.Topic topic) {
        boolean control = name.equals(wanted.controlTopic());
        boolean marked = wanted.marked().contains(name);
        boolean written = marked || control || wanted.outputs().contains(name);
        if (written && Boolean.FALSE.equals(topic.writable())) {
            error(
                    "Topic " + name,
                    "not writable for this principal",
                    "it is " + role(name),
                    marked
                            ? "grant WRITE on it, or set weir.topic[" + name + "].barriers to by-offset"
                            : "grant WRITE on it");
        }
        if ((control || wanted.inputs().contains(name)) && Boolean.FALSE.equals(topic.readable())) {
            error("Topic " + name, "not readable for this principal", "it is " + role(name), "grant READ on it");
        }
        if (marked && topic.compacted()) {
            warning(
                    "Input " + name,
                    "compacted",
                    "compaction may remove older markers, and the newest of each partition stays as a record",
                    "nothing is lost by it; set weir.topic[" + name
                            + "].barriers to by-offset to write no markers there");
        }
        if (control) {
            controlTopic(topic);
        }
        Integer limit = topic.maxMessageBytes();
        if (wanted.outputs().contains(name) && limit != null && limit < wanted.maxRequestBytes()) {
            warning(
                    "The producers' max.request.size",
                    wanted.maxRequestBytes() + " bytes",
                    "topic " + name + " takes " + limit
                            + " bytes (max.message.bytes), so that a larger record fails only"
                            + " at the broker, with its whole epoch",
                    "lower spring.kafka.producer.properties.max.request.size or raise the topic's limit");
        }
    }

    private void controlTopic(Facts.Topic topic) {
        String subject = "Control topic " + wanted.controlTopic();
        if (topic.partitions() != 1) {
            error(
                    subject,
                    "of " + topic.partitions() + " partitions",
                    "its records have one order",
                    "create it with 1");
        }
        if (topic.compacted()) {
            error(
                    subject,
                    "compacted",
                    "every record of it is needed until it is trimmed",
                    "set its cleanup.policy to delete and its retention.ms to -1");
        }
        Long retention = topic.retentionMillis();
        if (retention != null && retention >= 0) {
            error(
                    subject,
                    "deleted after " + retention + "ms",
                    "every record of it is needed until it is trimmed",
                    "set its retention.ms to -1");
        }
    }

    private void partitions(ProcessorSpec processor, Facts.Kafka kafka) {
        var counts = new TreeMap<String, Integer>();
        for (String input : processor.inputs()) {
            Facts.Topic topic = kafka.topics().get(input);
            if (topic != null) {
                counts.put(input, topic.partitions());
            }
        }
        long different = counts.values().stream().distinct().count();
        if (different > 1) {
            error(
                    "The number of partitions of processor " + processor.name() + "'s inputs",
                    counts.toString(),
                    "task i reads partition i of each",
                    "give all the same number");
        }
        if (different == 1) {
            int partitions = counts.firstEntry().getValue();
            if (wanted.concurrency() > partitions) {
                warning(
                        "weir.concurrency",
                        Integer.toString(wanted.concurrency()),
                        "processor " + processor.name() + " has " + partitions + " tasks, so that threads stay idle",
                        "lower it to " + partitions + " or less");
            }
        }
    }

    private String role(String topic) {
        if (topic.equals(wanted.controlTopic())) {
            return "the domain's control topic";
        }
        if (topic.equals(wanted.deadLetterTopic())) {
            return "the dead-letter topic";
        }
        for (ProcessorSpec processor : wanted.processors()) {
            if (processor.inputs().contains(topic)) {
                return "an input of processor " + processor.name()
                        + (wanted.byOffset().contains(topic) ? "" : ", which markers are written to");
            }
            if (processor.outputs().contains(topic)) {
                return "an output of processor " + processor.name();
            }
        }
        return "not used";
    }

    private void store(Facts facts) {
        if (facts.storeFailure() != null) {
            error(
                    "The object store " + facts.storeName(),
                    "not usable (" + facts.storeFailure() + ")",
                    "state is durable only there",
                    "check weir.store");
        } else if (facts.storeIsMemory()) {
            warning(
                    "The object store",
                    "this process's memory",
                    "a task that has committed cannot be restored after this process has ended",
                    "set weir.store.type to s3 or file for anything but a test");
        }
    }

    private void disk(Facts.Disk disk) {
        if (disk.failure() != null) {
            error(
                    "The state directory " + disk.directory(),
                    "not usable (" + disk.failure() + ")",
                    "tasks keep their state in it",
                    "set weir.state.directory to a folder that this process can write to");
        } else if (disk.freeBytes() < LITTLE_SPACE) {
            warning(
                    "The free space in the state directory " + disk.directory(),
                    disk.freeBytes() / (1 << 20) + " MiB",
                    "a restore needs room for a task's whole state",
                    "give it 1 GiB or more");
        }
        if (!disk.libraryFolderExecutable()) {
            error(
                    "The folder " + disk.libraryFolder(),
                    "mounted without leave to execute",
                    "RocksDB unpacks its native library there",
                    "set the environment variable ROCKSDB_SHAREDLIB_DIR, or -Djava.io.tmpdir, to another folder");
        }
    }

    private static String text(Duration duration) {
        return duration.toMillis() + "ms";
    }

    private void error(String subject, @Nullable String value, String rule, String remedy) {
        findings.add(new Finding(Severity.ERROR, subject, String.valueOf(value), rule, remedy));
    }

    private void warning(String subject, String value, String rule, String remedy) {
        findings.add(new Finding(Severity.WARNING, subject, value, rule, remedy));
    }
}
