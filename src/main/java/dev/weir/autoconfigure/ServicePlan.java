package dev.weir.autoconfigure;

import dev.weir.codec.TopicSerdes;
import dev.weir.topology.Topology;
import java.util.List;
import java.util.Map;

/**
 * What this process is to run, checked as far as it can be without asking anybody.
 *
 * @param properties the configuration
 * @param domain the domain's name
 * @param processors the processors
 * @param topology their topology
 * @param serdes the serdes of topics
 * @param clients the properties of Kafka's clients
 */
record ServicePlan(
        WeirProperties properties,
        String domain,
        List<DiscoveredProcessor> processors,
        Topology topology,
        Map<String, TopicSerdes> serdes,
        KafkaClientProperties clients) {

    /** Whether there is nothing to run. */
    boolean isEmpty() {
        return processors.isEmpty();
    }
}
