package dev.weir.autoconfigure;

import dev.weir.kafka.KafkaCluster;
import dev.weir.metrics.WeirMeters;
import dev.weir.snapshot.ObjectStore;
import java.util.function.UnaryOperator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Lets an application of the tests put something between its service and the brokers and the object store, as a bean. */
@Configuration(proxyBeanMethods = false)
public class SurroundedService {

    /** What is put between. */
    public record Between(UnaryOperator<KafkaCluster> cluster, UnaryOperator<ObjectStore> objects) {}

    @Bean
    ServiceRuntime.Starter surroundedServiceStarter(WeirMeters meters, Between between) {
        return LocalService.starter(
                JsonMapper.builder().build(),
                meters,
                new LocalService.Surroundings(between.cluster(), between.objects()));
    }
}
