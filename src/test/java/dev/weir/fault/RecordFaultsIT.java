package dev.weir.fault;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.api.Emission;
import dev.weir.api.Headers;
import dev.weir.api.Message;
import dev.weir.api.Processor;
import dev.weir.api.ProcessorContext;
import dev.weir.fault.Sequence.Item;
import dev.weir.fault.Sequence.Total;
import dev.weir.fixture.KafkaProxy;
import dev.weir.fixture.ProxiedBroker;
import dev.weir.kafka.Output;
import dev.weir.status.TaskStatus;
import dev.weir.worker.WorkerSettings.OnError;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records that cannot be handled, and outputs that cannot be sent. */
@Timeout(60)
class RecordFaultsIT {

    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int LIMIT = 1 << 20;

    private final KafkaProxy proxy = ProxiedBroker.shared().proxy();

    private static Rig rig() {
        return Rig.behindProxy(setup -> {
            setup.commitInterval = Duration.ofMillis(200);
            setup.commitDeadline = Duration.ofMillis(1_500);
            setup.request = Duration.ofSeconds(1);
            setup.transactionTimeout = Duration.ofSeconds(60);
        });
    }

    private static String deadLetters(Rig rig) {
        return rig.domain() + ".dead";
    }

    private static Rig rigWithDeadLetters() {
        var rig = rig();
        rig.broker().createTopic(deadLetters(rig), 1);
        return rig;
    }

    /** Fails such items, after their state is written and their output emitted. */
    private static Processor<byte[], byte[]> failing(Processor<byte[], byte[]> real, Predicate<Item> such) {
        return (message, context) -> {
            real.process(message, context);
            if (such.test(Item.parse(message.value()))) {
                throw new IllegalStateException("this item is not wanted");
            }
        };
    }

    private static Service withDeadLetters(Rig rig) {
        var service = rig.service("a");
        service.setup().onError = new OnError.DeadLetter(deadLetters(rig));
        return service;
    }

    private static boolean isBad(Item item) {
        return item.seq() % 7 == 0;
    }

    @Test
    @DisplayName(
            "failing-record-leaves-no-trace (F14, R16, I1): no state, no output; one dead letter, in the same transaction")
    void failingRecordLeavesNoTrace() throws Exception {
        try (var rig = rigWithDeadLetters()) {
            var a = withDeadLetters(rig)
                    .withProcessor(real -> failing(real, RecordFaultsIT::isBad))
                    .run();
            rig.await("its tasks run", () -> a.running().size() == rig.partitions());
            var positions = rig.positions();
            try (var fault = proxy.on(ApiKeys.END_TXN).from(a.slot()).holdRequests()) {
                rig.produce(0, 70);
                fault.awaitHits(1, SOON);
                assertThat(letters(rig)).as("dead letters before the commit").isEmpty();
                rig.await(
                        "dead letters are sent",
                        () -> rig.log().ends(deadLetters(rig)).getOrDefault(0, 0L) > 0);
                assertThat(rig.log().read(rig.output()).stream()
                                .mapToInt(List::size)
                                .sum())
                        .isZero();
            }
            rig.awaitCaughtUp();
            assertThat(rig.positions()).isNotEqualTo(positions);
            check(rig, 10);

            // Rolled back with its dead letters, and done again.
            int rollBacks = a.events().rollBacks.get();
            try (var fault = proxy.on(ApiKeys.END_TXN).from(a.slot()).loseRequests()) {
                rig.produce(1, 70);
                fault.awaitHits(1, SOON);
                rig.await("it goes back", () -> a.events().rollBacks.get() > rollBacks);
            }
            rig.awaitCaughtUp();
            check(rig, 20);
            rig.sequence().remove(RecordFaultsIT::isBad);
            rig.finish();
        }
    }

    /** Each bad item has exactly one dead letter: as it was, and with where it came from. */
    private static void check(Rig rig, int expected) {
        rig.await(
                "nothing is pending",
                () -> rig.log().stableEnds(deadLetters(rig)).equals(rig.log().ends(deadLetters(rig))));
        var letters = letters(rig);
        assertThat(letters).hasSize(expected);
        assertThat(letters.stream().map(letter -> Item.parse(letter.value())).toList())
                .containsExactlyInAnyOrderElementsOf(rig.sequence().items().stream()
                        .filter(RecordFaultsIT::isBad)
                        .toList());
        for (var letter : letters) {
            var item = Item.parse(letter.value());
            assertThat(new String(letter.key(), UTF_8)).isEqualTo(item.key());
            assertThat(header(letter, "processor")).isEqualTo(Totals.NAME);
            assertThat(header(letter, "topic")).isEqualTo(rig.input());
            assertThat(header(letter, "partition")).isEqualTo(Integer.toString(item.partition()));
            assertThat(Long.parseLong(header(letter, "offset")))
                    .isEqualTo(rig.sequence().offset(item));
            assertThat(header(letter, "exception")).isEqualTo(IllegalStateException.class.getName());
            assertThat(header(letter, "message")).isEqualTo("this item is not wanted");
        }
    }

    private static List<ConsumerRecord<byte[], byte[]>> letters(Rig rig) {
        return rig.log().read(deadLetters(rig)).get(0);
    }

    private static String header(ConsumerRecord<byte[], byte[]> letter, String name) {
        return new String(
                Objects.requireNonNull(letter.headers().lastHeader("weir.dead-letter." + name), name)
                        .value(),
                UTF_8);
    }

    @Test
    @DisplayName(
            "failing-record-leaves-no-trace (F14, R16, I1, I9): with on-error=stop its task stands in front of it, and no other")
    void failingRecordStopsItsTask() throws Exception {
        try (var rig = rig()) {
            rig.service("leader").withoutWorkers().run();
            var a = rig.service("a")
                    .withoutCoordinator()
                    .withProcessor(real -> failing(real, item -> item.partition() == 0 && item.seq() == 30))
                    .run();
            rig.produce(0, 50);
            rig.produce(1, 50);
            rig.await("its task stops", () -> {
                var task = a.task(0);
                return task != null && task.phase() == TaskStatus.Phase.STOPPED;
            });
            long offset = rig.sequence().offset(rig.sequence().items().get(29));
            assertThat(Objects.requireNonNull(a.task(0)).detail())
                    .contains(rig.in(0) + " offset " + offset)
                    .contains("this item is not wanted")
                    .contains("weir.processing.on-error=dead-letter");
            rig.await("what came before is committed", () -> rig.position(0) == offset);
            rig.await(
                    "the other one goes on",
                    () -> rig.position(1) >= rig.sequence().end(1));
            rig.awaitNextCheckpoint();
            rig.check();
            a.kill();
            a.withProcessor(real -> real).run();
            rig.finish();
        }
    }

    /** Emits each total in a record of a given size. */
    private record Padded(String output, ToIntFunction<Item> size) implements Processor<byte[], byte[]> {

        @Override
        public void process(Message<byte[], byte[]> message, ProcessorContext context) {
            var item = Item.parse(message.value());
            long total = context.state(Totals.TOTAL).getOr(0L) + item.delta();
            context.state(Totals.TOTAL).set(total);
            var bytes = new Total(item.partition(), item.seq(), item.key(), total).bytes();
            var bare = new Output(output, message.key(), bytes, Headers.none().with("pad", new byte[0]), 0);
            var pad = new byte[Math.max(0, size.applyAsInt(item) - bare.sizeBound())];
            context.emit(Emission.to(output).key(message.key()).value(bytes).header("pad", pad));
        }
    }

    private static int size(Item item) {
        return Map.of(10L, LIMIT - 1, 20L, LIMIT, 30L, LIMIT + 1, 40L, 10 * LIMIT)
                .getOrDefault(item.seq(), 0);
    }

    private static boolean isTooLarge(Item item) {
        return size(item) > LIMIT;
    }

    @Test
    @DisplayName(
            "giant-output (F14, R17, I1): what cannot be sent fails its record alone, once; the transaction goes on")
    void giantOutput() throws Exception {
        try (var rig = rigWithDeadLetters()) {
            var a = withDeadLetters(rig)
                    .withProcessor(real -> new Padded(rig.output(), RecordFaultsIT::size))
                    .run();
            rig.await("its tasks run", () -> a.running().size() == rig.partitions());
            rig.produce(0, 50);
            rig.produce(1, 50);
            rig.awaitCaughtUp();
            rig.await("nothing is pending", () -> rig.log()
                    .stableEnds(deadLetters(rig))
                    .equals(rig.log().ends(deadLetters(rig))));
            assertThat(letters(rig).stream()
                            .map(letter -> Item.parse(letter.value()))
                            .toList())
                    .hasSize(4)
                    .containsExactlyInAnyOrderElementsOf(rig.sequence().items().stream()
                            .filter(RecordFaultsIT::isTooLarge)
                            .toList());
            assertThat(letters(rig))
                    .allSatisfy(letter -> assertThat(header(letter, "message")).contains("max.request.size"));
            assertThat(rig.log().read(rig.output()).stream().flatMap(List::stream))
                    .filteredOn(record -> record.serializedValueSize() >= 0
                            && record.headers().lastHeader("pad").value().length > LIMIT / 2)
                    .hasSize(4);
            rig.sequence().remove(RecordFaultsIT::isTooLarge);
            rig.finish();
            assertThat(a.events().rollBacks.get()).isZero();
        }
    }

    @Test
    @DisplayName(
            "giant-record (F14, R16): 10 MiB are read and handled; one that fails and is too large for a dead letter stops its task")
    void giantRecord() throws Exception {
        try (var rig = rigWithDeadLetters();
                var producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", rig.broker().bootstrapServers(), "max.request.size", 20 * LIMIT),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            Rig.get(rig.admin()
                    .incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, rig.input()),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("max.message.bytes", Integer.toString(20 * LIMIT)),
                                    AlterConfigOp.OpType.SET))))
                    .all());
            var a = withDeadLetters(rig)
                    .withProcessor(real -> failing(real, item -> item.seq() == 1_000_001))
                    .run();
            rig.produce(0, 10);
            giant(rig, producer, 1_000_000);
            rig.produce(0, 10);
            rig.awaitCaughtUp();
            giant(rig, producer, 1_000_001);
            long offset = rig.sequence().end(0) - 1;
            rig.produce(0, 10);
            rig.produce(1, 10);
            rig.await("its task stops", () -> {
                var task = a.task(0);
                return task != null && task.phase() == TaskStatus.Phase.STOPPED;
            });
            assertThat(Objects.requireNonNull(a.task(0)).detail())
                    .contains(rig.in(0) + " offset " + offset)
                    .contains("let its dead letter be sent")
                    .contains("max.request.size");
            rig.await(
                    "the other one goes on",
                    () -> rig.position(1) >= rig.sequence().end(1));
            rig.await("what came before is committed", () -> rig.position(0) == offset);
            assertThat(letters(rig)).isEmpty();
            rig.check();
        }
    }

    private static void giant(Rig rig, KafkaProducer<byte[], byte[]> producer, long seq) {
        var item = new Item(0, seq, "p0k0", 7);
        var record = new ProducerRecord<>(rig.input(), 0, item.key().getBytes(UTF_8), item.bytes());
        record.headers().add("pad", new byte[10 * LIMIT]);
        rig.sequence().add(item, Rig.get(producer.send(record)).offset());
    }
}
