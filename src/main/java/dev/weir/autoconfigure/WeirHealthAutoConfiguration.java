package dev.weir.autoconfigure;

import dev.weir.actuator.WeirLivenessHealthIndicator;
import dev.weir.actuator.WeirReadinessHealthIndicator;
import dev.weir.status.StatusSource;
import dev.weir.time.Clock;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Health of the processors: {@code weirReadiness} is meant for the health group {@code readiness}, {@code weirLiveness} for
 * {@code liveness}.
 */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(ServiceLifecycle.class)
public final class WeirHealthAutoConfiguration {

    WeirHealthAutoConfiguration() {}

    @Bean
    @ConditionalOnEnabledHealthIndicator("weir-readiness")
    HealthIndicator weirReadinessHealthIndicator(StatusSource status) {
        return new WeirReadinessHealthIndicator(status, Clock.system()::wallMillis);
    }

    @Bean
    @ConditionalOnEnabledHealthIndicator("weir-liveness")
    HealthIndicator weirLivenessHealthIndicator(StatusSource status) {
        return new WeirLivenessHealthIndicator(status);
    }
}
