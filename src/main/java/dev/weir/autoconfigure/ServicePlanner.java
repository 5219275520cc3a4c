package dev.weir.autoconfigure;

import dev.weir.codec.TopicSerdes;
import dev.weir.failure.ConfigurationException;
import dev.weir.topology.ProcessorSpec;
import dev.weir.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanInstantiationException;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Puts the plan together out of beans and properties, and reports all that is wrong with both at once. */
final class ServicePlanner {

    private final ConfigurableListableBeanFactory beans;
    private final WeirProperties properties;
    private final @Nullable String applicationName;

    ServicePlanner(ConfigurableListableBeanFactory beans, WeirProperties properties, @Nullable String applicationName) {
        this.beans = beans;
        this.properties = properties;
        this.applicationName = applicationName;
    }

    /**
     * The plan.
     *
     * @param clients asked only if there are processors
     * @throws ConfigurationException that names everything that is wrong, one sentence a line
     */
    ServicePlan plan(Supplier<KafkaClientProperties> clients) {
        if (ProcessorDiscovery.candidates(beans).isEmpty()) {
            return new ServicePlan(
                    properties,
                    PropertyRules.domain(properties, applicationName),
                    List.of(),
                    Topology.of(List.of()),
                    Map.of(),
                    new KafkaClientProperties(Map.of(), Map.of(), Map.of()));
        }
        var violations = new ArrayList<>(PropertyRules.violations(properties, applicationName));
        var discovered = ProcessorDiscovery.discover(beans);
        violations.addAll(discovered.violations());
        List<ProcessorSpec> specs =
                discovered.processors().stream().map(DiscoveredProcessor::spec).toList();
        violations.addAll(Topology.violations(specs));
        violations.addAll(topicSettings(specs));
        if (!violations.isEmpty()) {
            throw new ConfigurationException(String.join("\n", violations));
        }
        KafkaClientProperties resolved = clients.get();
        return new ServicePlan(
                properties,
                PropertyRules.domain(properties, applicationName),
                discovered.processors(),
                Topology.of(specs),
                serdes(resolved.consumer()),
                resolved);
    }

    private List<String> topicSettings(List<ProcessorSpec> specs) {
        List<String> violations = new ArrayList<>();
        Set<String> inputs = new HashSet<>();
        Set<String> outputs = new HashSet<>();
        specs.forEach(spec -> {
            inputs.addAll(spec.inputs());
            outputs.addAll(spec.outputs());
        });
        String deadLetters = properties.processing().deadLetterTopic();
        if (deadLetters != null && inputs.contains(deadLetters)) {
            violations.add("Cannot use the configuration: weir.processing.dead-letter-topic is " + deadLetters
                    + ", which is an input; name another topic");
        }
        for (String topic : new TreeSet<>(properties.topic().keySet())) {
            if (!inputs.contains(topic) && !outputs.contains(topic)) {
                violations.add(
                        "Cannot use the configuration: weir.topic." + topic + " is set, but no processor has the topic "
                                + topic + "; correct the name (one with dots is written weir.topic[a.b]) or remove it");
            }
        }
        return violations;
    }

    private Map<String, TopicSerdes> serdes(Map<String, Object> clientProperties) {
        Map<String, TopicSerdes> serdes = new HashMap<>();
        properties.topic().forEach((topic, settings) -> {
            var both = new TopicSerdes(
                    serde(settings.keySerde(), clientProperties, SerdeRole.KEY),
                    serde(settings.valueSerde(), clientProperties, SerdeRole.VALUE));
            if (both.key() != null || both.value() != null) {
                serdes.put(topic, both);
            }
        });
        return serdes;
    }

    private enum SerdeRole {
        KEY,
        VALUE
    }

    /** A bean of the class if there is one, else a new instance with the consumers' properties. */
    private @Nullable Serde<?> serde(
            @Nullable Class<? extends Serde<?>> type, Map<String, Object> clientProperties, SerdeRole role) {
        if (type == null) {
            return null;
        }
        Serde<?> bean = beans.getBeanProvider(type).getIfUnique();
        if (bean != null) {
            return bean;
        }
        try {
            Serde<?> serde = BeanUtils.instantiateClass(type);
            serde.configure(clientProperties, role == SerdeRole.KEY);
            return serde;
        } catch (BeanInstantiationException e) {
            throw new ConfigurationException(
                    "Cannot use " + type.getName() + " as a serde: " + e.getMessage()
                            + "; give it a constructor without parameters or make it a bean",
                    e);
        }
    }
}
