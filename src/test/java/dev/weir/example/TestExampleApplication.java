package dev.weir.example;

import dev.weir.fixture.EmbeddedBroker;
import dev.weir.fixture.KafkaBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * Runs the example with a Kafka broker in this process and a folder as object store; nothing else is needed. Ends on Ctrl-C.
 *
 * <p>The annotation makes it the one that {@code spring-boot:test-run} starts among the classes with a main method.
 */
@SpringBootApplication(proxyBeanMethods = false)
public final class TestExampleApplication {

    private TestExampleApplication() {}

    /** Arguments are the example's, such as {@code --example.flights.rate=2000}. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of("target", "example");
        Files.createDirectories(folder);
        Path run = Files.createTempDirectory(folder, "run-");
        KafkaBroker broker = EmbeddedBroker.start(run.resolve("kafka"), Ports.free());
        System.out.println("Kafka listens on " + broker.bootstrapServers() + ", everything else is in " + run
                + "; end it with Ctrl-C");
        // The context's own hook would run beside the broker's: the application must have stopped before its broker
        // does.
        var application = ExampleApplication.application();
        application.setRegisterShutdownHook(false);
        var context = application.run(Stream.concat(
                        Stream.of(
                                "--spring.kafka.bootstrap-servers=" + broker.bootstrapServers(),
                                "--weir.store.path=" + run.resolve("store"),
                                "--weir.state.directory=" + run.resolve("state")),
                        Arrays.stream(arguments))
                .toArray(String[]::new));
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            context.close();
                            broker.close();
                        },
                        "example-stop"));
    }
}
