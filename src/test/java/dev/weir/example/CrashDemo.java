package dev.weir.example;

import dev.weir.fixture.EmbeddedBroker;
import dev.weir.fixture.KafkaBroker;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import tools.jackson.databind.json.JsonMapper;

/**
 * Shows that a worker can be killed: sends 20,000 flights, kills the worker's process twice with SIGKILL while it processes them, starts it
 * again, and compares what is committed with the right answers. Ends with 0 if every flight counts exactly once.
 */
public final class CrashDemo {

    private static final int PARTITIONS = 4;
    private static final int FLIGHTS_PER_SECOND = 1_500;
    private static final List<Long> KILL_AT = List.of(4_000L, 11_000L);
    /** How far the sender may be ahead of what is committed, and how far it must be when a worker is killed. */
    private static final long MOST_AHEAD = 3_000;

    private static final long LEAST_AHEAD = 1_000;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Path folder;
    private final String bootstrap;
    private final JsonMapper mapper = JsonMapper.builder().build();
    private final AtomicLong committed = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private int workers;

    private CrashDemo(Path folder, String bootstrap) {
        this.folder = folder;
        this.bootstrap = bootstrap;
    }

    /** Takes no arguments. */
    public static void main(String[] arguments) throws Exception {
        Path base = Path.of("target", "crash-demo");
        Files.createDirectories(base);
        Path folder = Files.createTempDirectory(base, "run-").toAbsolutePath();
        boolean right;
        try (KafkaBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), Ports.free())) {
            broker.createTopic("flights", PARTITIONS);
            broker.createTopic("airport-totals", PARTITIONS);
            right = new CrashDemo(folder, broker.bootstrapServers()).run();
        }
        System.exit(right ? 0 : 1);
    }

    private boolean run() throws Exception {
        say("Everything of this run is in " + folder);
        var sender = new Thread(this::send, "flights");
        sender.setDaemon(true);
        var verdict = new Verdict(RightAnswers.read());
        Process worker = startWorker();
        try (var consumer = consumer()) {
            sender.start();
            for (long killAt : KILL_AT) {
                read(consumer, verdict, () -> verdict.records() >= killAt && ahead() >= LEAST_AHEAD, worker);
                say(String.format(
                        "%,d of %,d sent flights are committed: killing worker %d with SIGKILL",
                        verdict.records(), sent.get(), workers));
                worker.destroyForcibly().waitFor();
                worker = startWorker();
            }
            read(consumer, verdict, () -> verdict.records() >= verdict.expectedRecords(), worker);
            say("All flights are committed; looking for more than there should be");
            drain(consumer, verdict);
        } catch (IllegalStateException e) {
            say(String.valueOf(e.getMessage()));
        } finally {
            worker.destroy();
            if (!worker.waitFor(30, TimeUnit.SECONDS)) {
                worker.destroyForcibly();
            }
        }
        System.out.println(verdict.table());
        return verdict.faults().isEmpty() && verdict.records() == verdict.expectedRecords();
    }

    private Process startWorker() throws IOException {
        workers++;
        Path log = folder.resolve("worker-" + workers + ".log");
        say("Starting worker " + workers + ", its output goes to " + log);
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ExampleApplication.class.getName(),
                        "--spring.kafka.bootstrap-servers=" + bootstrap,
                        "--example.flights.produce=false",
                        "--example.console=false",
                        "--weir.checkpoint.interval=1s",
                        "--weir.store.path=" + folder.resolve("store"),
                        "--weir.state.directory=" + folder.resolve("state"))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    private void send() {
        Map<String, Object> properties = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap,
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
        try (var producer = new KafkaProducer<String, String>(properties);
                BufferedReader lines = FlightFile.open("")) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String origin = mapper.readValue(line, Flight.class).origin();
                var unused = producer.send(new ProducerRecord<>("flights", origin, line), (metadata, failure) -> {
                    if (failure != null) {
                        say("A flight was not sent: " + failure);
                    }
                });
                sent.incrementAndGet();
                if (sent.get() % (FLIGHTS_PER_SECOND / 10) == 0) {
                    do {
                        Thread.sleep(100);
                    } while (ahead() >= MOST_AHEAD);
                }
            }
            producer.flush();
            say(String.format("All %,d flights are sent", sent.get()));
        } catch (IOException e) {
            say("Cannot send the flights: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private KafkaConsumer<String, String> consumer() {
        var consumer = new KafkaConsumer<String, String>(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                StringDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                StringDeserializer.class));
        var partitions = IntStream.range(0, PARTITIONS)
                .mapToObj(number -> new TopicPartition("airport-totals", number))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        return consumer;
    }

    private long ahead() {
        return sent.get() - committed.get();
    }

    private void read(
            KafkaConsumer<String, String> consumer, Verdict verdict, BooleanSupplier isEnough, Process worker) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!isEnough.getAsBoolean()) {
            poll(consumer, verdict);
            if (!worker.isAlive()) {
                throw new IllegalStateException("Worker " + workers + " has ended by itself; see its output");
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("No more than " + verdict.records() + " flights are committed after "
                        + PATIENCE.toSeconds() + " s; see the worker's output");
            }
        }
    }

    private void drain(KafkaConsumer<String, String> consumer, Verdict verdict) {
        long end = System.nanoTime() + Duration.ofSeconds(5).toNanos();
        while (System.nanoTime() < end) {
            poll(consumer, verdict);
        }
    }

    private void poll(KafkaConsumer<String, String> consumer, Verdict verdict) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
            verdict.add(record.key(), mapper.readValue(record.value(), Totals.class));
        }
        committed.set(verdict.records());
    }

    private static void say(String text) {
        System.out.println(text);
    }
}
