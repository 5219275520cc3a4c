package dev.weir.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.KafkaBroker;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.snapshot.FileSystemObjectStore;
import dev.weir.snapshot.SnapshotStore;
import dev.weir.time.Tokens;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Three worker processes, one killed with SIGKILL in the middle of a transaction (F1; I1, I3, I9, I11), on real input. */
@Timeout(240)
class FlightsKillIT {

    private static final int PARTITIONS = 8;
    private static final int WORKERS = 3;
    private static final String DOMAIN = "flights";
    private static final String GROUP = DOMAIN + ".airport-delays";
    /** How far the sender may be ahead of what is committed, and how much of the victim's must be uncommitted when it is killed. */
    private static final int MOST_AHEAD = 4_000;

    private static final int LEAST_UNCOMMITTED = 30;

    private final JsonMapper mapper = JsonMapper.builder().build();
    private final Map<Integer, Process> workers = new TreeMap<>();
    private final Verdict verdict;
    private final Map<Integer, Long> committed = new TreeMap<>();
    private final Map<Integer, Long> uncommitted = new TreeMap<>();
    private long sent;

    @TempDir
    private Path folder;

    FlightsKillIT() throws IOException {
        verdict = new Verdict(RightAnswers.read());
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2})
    void totalsAreExactThoughAWorkerIsKilledInTheMiddleOfATransaction(long seed) throws Exception {
        var random = new SplittableRandom(seed);
        long killFrom = random.nextLong(4_000, 12_000);
        try (var broker = KafkaBroker.start()) {
            broker.createTopic("flights", PARTITIONS);
            broker.createTopic("airport-totals", PARTITIONS);
            String bootstrap = broker.bootstrapServers();
            for (int number = 0; number < WORKERS; number++) {
                workers.put(number, startWorker(bootstrap, number));
            }
            try (var admin = Admin.create(Map.of("bootstrap.servers", (Object) bootstrap));
                    var producer = producer(bootstrap);
                    var visible = consumer(bootstrap, "read_committed");
                    var all = consumer(bootstrap, "read_uncommitted");
                    var lines = FlightFile.open("")) {
                // The group is unknown until the first worker joins it.
                Awaitility.await()
                        .ignoreExceptionsInstanceOf(ExecutionException.class)
                        .atMost(Duration.ofSeconds(90))
                        .until(() -> owners(admin).size() == WORKERS);

                pump(lines, producer, visible, all, () -> verdict.records() >= killFrom);
                int victim = random.nextInt(WORKERS);
                var partitions = owners(admin).getOrDefault(instance(victim), List.of());
                assertThat(partitions).isNotEmpty();
                // The victim has just begun a transaction: it had nothing open a moment ago and has now.
                pump(lines, producer, visible, all, () -> open(partitions) == 0);
                pump(lines, producer, visible, all, () -> open(partitions) >= LEAST_UNCOMMITTED);
                long checkpointAtKill = lastComplete();
                var process = Objects.requireNonNull(workers.get(victim));
                process.destroyForcibly();

                assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
                assertThat(process.exitValue()).as("ended by SIGKILL").isEqualTo(128 + 9);
                pump(lines, producer, visible, all, () -> verdict.records() >= verdict.expectedRecords());
                Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> lastComplete() > checkpointAtKill);
                pump(lines, producer, visible, all, () -> all.position(partition(0)) > 0);

                assertThat(checkpointAtKill)
                        .as("a checkpoint completed before the kill")
                        .isPositive();
                assertThat(open(partitions))
                        .as("outputs of the victim that were rolled back")
                        .isGreaterThanOrEqualTo(LEAST_UNCOMMITTED);
                assertThat(owners(admin)).hasSize(WORKERS - 1).doesNotContainKey(instance(victim));
                assertThat(verdict.faults()).isEmpty();
                assertThat(verdict.records()).isEqualTo(20_000);
            } finally {
                stopWorkers();
            }
        }
    }

    /** Sends what may be sent and reads what is there, until the condition holds. */
    private void pump(
            BufferedReader lines,
            KafkaProducer<String, String> producer,
            KafkaConsumer<String, String> visible,
            KafkaConsumer<String, String> all,
            BooleanSupplier condition) {
        Awaitility.await()
                .pollInSameThread()
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofSeconds(120))
                .until(() -> {
                    for (int i = 0; i < 200 && sent - verdict.records() < MOST_AHEAD; i++) {
                        String line = lines.readLine();
                        if (line == null) {
                            break;
                        }
                        var unused = producer.send(new ProducerRecord<>(
                                "flights", mapper.readValue(line, Flight.class).origin(), line));
                        sent++;
                    }
                    all.poll(Duration.ofMillis(20))
                            .forEach(record -> uncommitted.merge(record.partition(), 1L, Long::sum));
                    visible.poll(Duration.ofMillis(20)).forEach(record -> {
                        committed.merge(record.partition(), 1L, Long::sum);
                        verdict.add(record.key(), mapper.readValue(record.value(), Totals.class));
                    });
                    long dead = workers.values().stream()
                            .filter(worker -> !worker.isAlive())
                            .count();
                    assertThat(dead)
                            .as("workers that ended; their output is in " + folder)
                            .isLessThanOrEqualTo(1);
                    return condition.getAsBoolean();
                });
    }

    private long open(List<Integer> partitions) {
        return partitions.stream()
                .mapToLong(p -> uncommitted.getOrDefault(p, 0L) - committed.getOrDefault(p, 0L))
                .sum();
    }

    /** The partitions that each instance reads; only instances that have some. */
    private static Map<String, List<Integer>> owners(Admin admin) throws Exception {
        var groups = admin.describeConsumerGroups(List.of(GROUP)).all().get(10, TimeUnit.SECONDS);
        var owners = new HashMap<String, List<Integer>>();
        for (var member : Objects.requireNonNull(groups.get(GROUP)).members()) {
            var numbers = member.assignment().topicPartitions().stream()
                    .map(TopicPartition::partition)
                    .sorted()
                    .toList();
            if (!numbers.isEmpty()) {
                owners.put(member.groupInstanceId().orElse(""), numbers);
            }
        }
        return owners;
    }

    private long lastComplete() {
        try (var store = FileSystemObjectStore.open(folder.resolve("store"))) {
            var snapshots = new SnapshotStore(store, DOMAIN, Tokens.secure());
            return snapshots.newestCheckpoints(Long.MAX_VALUE, 1_000).stream()
                    .flatMap(id -> snapshots.readCheckpoint(id).stream())
                    .filter(checkpoint -> checkpoint.outcome() == Outcome.COMPLETE)
                    .mapToLong(checkpoint -> checkpoint.checkpoint())
                    .max()
                    .orElse(0);
        }
    }

    private static String instance(int worker) {
        return GROUP + ".worker-" + worker + ".0";
    }

    private Process startWorker(String bootstrap, int number) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ExampleApplication.class.getName(),
                        "--spring.kafka.bootstrap-servers=" + bootstrap,
                        "--spring.kafka.consumer.properties.session.timeout.ms=6000",
                        "--spring.kafka.consumer.properties.heartbeat.interval.ms=1000",
                        "--example.flights.produce=false",
                        "--example.console=false",
                        "--weir.domain=" + DOMAIN,
                        "--weir.instance-id=worker-" + number,
                        "--weir.checkpoint.interval=2s",
                        "--weir.alignment.timeout=3s",
                        "--weir.transaction.timeout=12s",
                        "--weir.store.path=" + folder.resolve("store"),
                        "--weir.state.directory=" + folder.resolve("state-" + number))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("worker-" + number + ".log").toFile())
                .start();
    }

    private void stopWorkers() throws InterruptedException {
        workers.values().forEach(Process::destroy);
        for (var worker : workers.values()) {
            if (!worker.waitFor(20, TimeUnit.SECONDS)) {
                worker.destroyForcibly().waitFor();
            }
        }
    }

    private static KafkaProducer<String, String> producer(String bootstrap) {
        return new KafkaProducer<>(Map.of(
                "bootstrap.servers", bootstrap,
                "key.serializer", StringSerializer.class,
                "value.serializer", StringSerializer.class));
    }

    private static KafkaConsumer<String, String> consumer(String bootstrap, String isolation) {
        var consumer = new KafkaConsumer<String, String>(Map.of(
                "bootstrap.servers",
                bootstrap,
                "isolation.level",
                isolation,
                "max.poll.records",
                5_000,
                "key.deserializer",
                StringDeserializer.class,
                "value.deserializer",
                StringDeserializer.class));
        var partitions = IntStream.range(0, PARTITIONS)
                .mapToObj(FlightsKillIT::partition)
                .collect(Collectors.toCollection(ArrayList::new));
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        return consumer;
    }

    private static TopicPartition partition(int number) {
        return new TopicPartition("airport-totals", number);
    }
}
