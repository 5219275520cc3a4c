package dev.weir.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.api.Message;
import dev.weir.api.Processor;
import dev.weir.api.ProcessorContext;
import dev.weir.api.StreamProcessor;
import dev.weir.failure.ConfigurationException;
import dev.weir.status.StatusSource;
import dev.weir.status.ThreadStatus;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class WeirAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WeirAutoConfiguration.class, KafkaAutoConfiguration.class))
            .withUserConfiguration(Recorded.class)
            .withPropertyValues(
                    "spring.application.name=shop",
                    "weir.store.type=memory",
                    "spring.kafka.bootstrap-servers=nowhere:1");

    /** Records what is started and stopped. */
    @Configuration(proxyBeanMethods = false)
    static class Recorded {

        @Bean
        RecordingStarter starter() {
            return new RecordingStarter();
        }
    }

    static final class RecordingStarter implements ServiceRuntime.Starter {

        final List<String> events = new ArrayList<>();

        @Override
        public ServiceRuntime start(ServicePlan plan) {
            events.add("start " + plan.domain());
            return new ServiceRuntime() {
                @Override
                public StatusSource status() {
                    return new FixedStatus(List.of(new ThreadStatus(
                            "slot", "orders", ThreadStatus.Phase.RUNNING, null, List.of(), 0, 0, 0, 0)));
                }

                @Override
                public void close() {
                    events.add("stop");
                }
            };
        }
    }

    @StreamProcessor(name = "orders", inputs = "orders")
    static class Orders implements Processor<String, Long> {

        @Override
        public void process(Message<String, Long> message, ProcessorContext context) {}
    }

    @Test
    void startsAndStopsTheProcessorsWithTheContext() {
        var events = new ArrayList<List<String>>();
        runner.withBean(Orders.class).run(context -> {
            assertThat(context).hasNotFailed();
            var plan = context.getBean(ServicePlan.class);
            assertThat(plan.domain()).isEqualTo("shop");
            assertThat(plan.processors()).singleElement().satisfies(found -> {
                assertThat(found.spec().name()).isEqualTo("orders");
                assertThat(found.keyType()).isEqualTo(String.class);
                assertThat(found.valueType()).isEqualTo(Long.class);
            });
            assertThat(plan.clients().consumer()).containsEntry("bootstrap.servers", List.of("nowhere:1"));
            assertThat(context.getBean(StatusSource.class).threads()).hasSize(1);
            events.add(context.getBean(RecordingStarter.class).events);
        });
        assertThat(events).containsExactly(List.of("start shop", "stop"));
    }

    @Test
    void doesNothingWhenItIsDisabled() {
        runner.withBean(Orders.class).withPropertyValues("weir.enabled=false").run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(ServiceLifecycle.class);
            assertThat(context.getBean(RecordingStarter.class).events).isEmpty();
        });
    }

    @Test
    void asksForNothingWhereThereAreNoProcessors() {
        runner.withPropertyValues("weir.store.type=", "spring.application.name=")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(RecordingStarter.class).events).isEmpty();
                    assertThat(context.getBean(StatusSource.class).threads()).isEmpty();
                });
    }

    @Test
    void reportsPropertiesAndBeansTogether() {
        runner.withBean(Orders.class)
                .withBean("again", Orders.class)
                .withPropertyValues(
                        "weir.store.type=", "weir.commit.mode=continuous", "weir.topic.absent.barriers=by-offset")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(ConfigurationException.class)
                        .satisfies(
                                e -> assertThat(String.valueOf(e.getMessage()).lines())
                                        .containsExactly(
                                                "Cannot use the configuration: weir.commit.mode is continuous, which this version does not"
                                                        + " have; set it to checkpoint and weir.commit.interval to commit more often",
                                                "Cannot use the configuration: weir.store.type is not set; set it to s3, to file for one"
                                                        + " machine or a shared file system, or to memory for tests",
                                                "Cannot use processor 'orders': another processor has the same name; give each a name of"
                                                        + " its own",
                                                "Cannot use the configuration: weir.topic.absent is set, but no processor has the topic"
                                                        + " absent; correct the name (one with dots is written weir.topic[a.b]) or remove"
                                                        + " it")));
    }

    @Test
    void configuresSerdesOfTopics() {
        runner.withBean(Orders.class)
                .withPropertyValues(
                        "weir.topic.orders.value-serde=org.apache.kafka.common.serialization.Serdes$LongSerde")
                .run(context -> {
                    var serdes = context.getBean(ServicePlan.class).serdes();
                    assertThat(serdes).containsOnlyKeys("orders");
                    assertThat(serdes.get("orders")).satisfies(both -> {
                        assertThat(both.key()).isNull();
                        assertThat(both.value()).isInstanceOf(Serdes.LongSerde.class);
                    });
                });
    }

    @Test
    void takesAWholeClientConfigurationFromSpringBoot() {
        runner.withBean(Orders.class)
                .withPropertyValues(
                        "spring.kafka.security.protocol=SASL_PLAINTEXT",
                        "spring.kafka.properties.sasl.mechanism=PLAIN",
                        "spring.kafka.producer.compression-type=lz4")
                .run(context -> {
                    var clients = context.getBean(ServicePlan.class).clients();
                    assertThat(clients.producer())
                            .containsEntry("security.protocol", "SASL_PLAINTEXT")
                            .containsEntry("sasl.mechanism", "PLAIN")
                            .containsEntry("compression.type", "lz4");
                    assertThat(clients.admin()).containsEntry("security.protocol", "SASL_PLAINTEXT");
                });
    }
}
