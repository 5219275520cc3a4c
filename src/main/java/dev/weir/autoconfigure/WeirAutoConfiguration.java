package dev.weir.autoconfigure;

import dev.weir.metrics.WeirMeters;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.ProducerFactory;
import tools.jackson.databind.json.JsonMapper;

/** Runs the beans that are annotated with {@link dev.weir.api.StreamProcessor}, unless {@code weir.enabled} is false. */
@AutoConfiguration(
        after = KafkaAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnProperty(prefix = "weir", name = "enabled", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(WeirProperties.class)
public final class WeirAutoConfiguration {

    WeirAutoConfiguration() {}

    @Bean
    ServicePlan weirServicePlan(
            ConfigurableListableBeanFactory beans,
            WeirProperties properties,
            Environment environment,
            ObjectProvider<ConsumerFactory<?, ?>> consumers,
            ObjectProvider<ProducerFactory<?, ?>> producers,
            ObjectProvider<KafkaAdmin> admins) {
        var planner = new ServicePlanner(beans, properties, environment.getProperty("spring.application.name"));
        return planner.plan(() -> KafkaClientProperties.from(consumers, producers, admins));
    }

    @Bean
    @ConditionalOnMissingBean
    WeirMeters weirMeters(ObjectProvider<MeterRegistry> registry) {
        MeterRegistry meters = registry.getIfUnique();
        return meters == null ? WeirMeters.none() : new WeirMeters(meters);
    }

    @Bean
    @ConditionalOnMissingBean
    ServiceRuntime.Starter weirServiceStarter(ObjectProvider<JsonMapper> mapper, WeirMeters meters) {
        return LocalService.starter(
                mapper.getIfUnique(() -> JsonMapper.builder().build()), meters);
    }

    @Bean
    ServiceLifecycle weirServiceLifecycle(ServicePlan plan, ServiceRuntime.Starter starter) {
        return new ServiceLifecycle(plan, starter);
    }
}
