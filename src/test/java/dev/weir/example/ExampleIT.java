package dev.weir.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.KafkaBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** The whole application, wired by Spring Boot, against a real broker. */
@Timeout(300)
class ExampleIT {

    private final JsonMapper mapper = JsonMapper.builder().build();

    @TempDir
    private Path folder;

    @Test
    void countsEveryFlightOnceAndStopsInGoodOrder() throws Exception {
        try (var broker = KafkaBroker.start()) {
            var verdict = new Verdict(RightAnswers.read());
            try (var context = ExampleApplication.application()
                            .run(
                                    "--spring.kafka.bootstrap-servers=" + broker.bootstrapServers(),
                                    "--weir.store.path=" + folder.resolve("store"),
                                    "--weir.state.directory=" + folder.resolve("state"),
                                    "--weir.checkpoint.interval=1s",
                                    "--weir.topics.partitions=2",
                                    "--example.flights.rate=0",
                                    "--example.flights.repeat=1");
                    var consumer = new KafkaConsumer<String, String>(Map.of(
                            "bootstrap.servers",
                            broker.bootstrapServers(),
                            "isolation.level",
                            "read_committed",
                            "key.deserializer",
                            StringDeserializer.class,
                            "value.deserializer",
                            StringDeserializer.class))) {
                var partitions = IntStream.range(0, 2)
                        .mapToObj(number -> new TopicPartition("airport-totals", number))
                        .toList();
                consumer.assign(partitions);
                consumer.seekToBeginning(partitions);
                Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> {
                    consumer.poll(Duration.ofMillis(100))
                            .forEach(record ->
                                    verdict.add(record.key(), mapper.readValue(record.value(), Totals.class)));
                    return verdict.records() >= verdict.expectedRecords();
                });
                Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(
                                context.getBean(ExampleConsole.class).block())
                        .contains("lag 0   tasks 2/2 running", "ORD Chicago, IL", "is complete"));
            }
            assertThat(verdict.faults()).isEmpty();
            assertThat(verdict.records()).isEqualTo(20_000);
        }
    }
}
