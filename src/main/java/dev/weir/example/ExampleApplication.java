package dev.weir.example;

import java.io.IOException;
import java.util.Properties;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

/** Counts departures and delays by airport. Kafka is expected at {@code localhost:9092} unless it is set otherwise. */
@SpringBootApplication
@EnableConfigurationProperties(ExampleProperties.class)
public class ExampleApplication {

    /** Starts it. */
    public static void main(String[] arguments) throws IOException {
        application().run(arguments);
    }

    /** The application with its defaults. */
    static SpringApplication application() throws IOException {
        var defaults = new Properties();
        try (var stream = FlightFile.resource("/example/example.properties")) {
            defaults.load(stream);
        }
        var application = new SpringApplication(ExampleApplication.class);
        application.setDefaultProperties(defaults);
        return application;
    }
}
