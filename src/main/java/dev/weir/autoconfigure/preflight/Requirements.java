package dev.weir.autoconfigure.preflight;

import dev.weir.topology.ProcessorSpec;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What is about to run and with what, as far as the checks need it.
 *
 * @param processors the processors
 * @param controlTopic the domain's control topic
 * @param deadLetterTopic the dead-letter topic, or null
 * @param byOffset inputs that no marker is written to
 * @param concurrency threads for each processor
 * @param transactionTimeout the transactions' timeout
 * @param sessionTimeout the consumers' session timeout
 * @param maxPollInterval the consumers' {@code max.poll.interval.ms}
 * @param maxRequestBytes the producers' {@code max.request.size}
 */
public record Requirements(
        List<ProcessorSpec> processors,
        String controlTopic,
        @Nullable String deadLetterTopic,
        Set<String> byOffset,
        int concurrency,
        Duration transactionTimeout,
        Duration sessionTimeout,
        Duration maxPollInterval,
        int maxRequestBytes) {

    /** Topics that are read. */
    Set<String> inputs() {
        Set<String> topics = new TreeSet<>();
        processors.forEach(processor -> topics.addAll(processor.inputs()));
        return topics;
    }

    /** Topics that records of processors are written to. */
    public Set<String> outputs() {
        Set<String> topics = new TreeSet<>();
        processors.forEach(processor -> topics.addAll(processor.outputs()));
        if (deadLetterTopic != null) {
            topics.add(deadLetterTopic);
        }
        return topics;
    }

    /** Inputs that markers are written to. */
    Set<String> marked() {
        Set<String> topics = inputs();
        topics.removeAll(byOffset);
        return topics;
    }

    /** All topics. */
    Set<String> topics() {
        Set<String> topics = inputs();
        topics.addAll(outputs());
        topics.add(controlTopic);
        return topics;
    }
}
