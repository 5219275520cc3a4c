package dev.weir.torture;

import dev.weir.autoconfigure.SurroundedService;
import dev.weir.autoconfigure.SurroundedService.Between;
import dev.weir.autoconfigure.WeirAutoConfiguration;
import java.nio.file.Path;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The application that is tortured. The first argument is the file in which it writes down what happens to it. */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({KafkaAutoConfiguration.class, WeirAutoConfiguration.class})
@Import(SurroundedService.class)
class TorturedWorker {

    /** Takes orders from the standard input until the process is ended. */
    public static void main(String[] arguments) {
        var orders = new Orders(Path.of(arguments[0]));
        orders.listen();
        var application = new SpringApplication(TorturedWorker.class);
        application.addInitializers(context -> context.getBeanFactory()
                .registerSingleton(
                        "between",
                        new Between(
                                cluster -> new TorturedCluster(cluster, orders),
                                objects -> new TorturedStore(objects, orders))));
        application.run(java.util.Arrays.copyOfRange(arguments, 1, arguments.length));
    }

    @Bean
    Ledger ledger() {
        return new Ledger();
    }
}
