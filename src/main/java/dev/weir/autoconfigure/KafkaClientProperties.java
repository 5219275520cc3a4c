package dev.weir.autoconfigure;

import dev.weir.failure.ConfigurationException;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.ProducerFactory;

/**
 * What Spring Boot's own factories would give Kafka's clients: {@code spring.kafka.*}, connection details, SSL bundles and customizers.
 *
 * @param consumer for consumers
 * @param producer for producers
 * @param admin for admin clients
 */
record KafkaClientProperties(Map<String, Object> consumer, Map<String, Object> producer, Map<String, Object> admin) {

    static KafkaClientProperties from(
            ObjectProvider<ConsumerFactory<?, ?>> consumers,
            ObjectProvider<ProducerFactory<?, ?>> producers,
            ObjectProvider<KafkaAdmin> admins) {
        var consumer =
                new HashMap<>(the(consumers.getIfUnique(), "ConsumerFactory").getConfigurationProperties());
        // Spring Boot sets this one whether or not somebody asked for it; Weir has its own value.
        consumer.remove(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
        return new KafkaClientProperties(
                Map.copyOf(consumer),
                the(producers.getIfUnique(), "ProducerFactory").getConfigurationProperties(),
                the(admins.getIfUnique(), "KafkaAdmin").getConfigurationProperties());
    }

    private static <T> T the(@Nullable T bean, String type) {
        if (bean == null) {
            throw new ConfigurationException("Cannot connect to Kafka: there is no single bean of type " + type
                    + "; leave it to Spring Boot and spring.kafka.*, or mark one as primary");
        }
        return bean;
    }
}
