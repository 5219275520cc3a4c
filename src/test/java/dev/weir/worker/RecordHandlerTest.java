package dev.weir.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatObject;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.api.Emission;
import dev.weir.api.Headers;
import dev.weir.api.MapState;
import dev.weir.api.Processor;
import dev.weir.api.ProcessorContext;
import dev.weir.api.StateDescriptor;
import dev.weir.api.ValueAccess;
import dev.weir.api.ValueState;
import dev.weir.barrier.Marker;
import dev.weir.codec.MessageCodec;
import dev.weir.codec.StateCodec;
import dev.weir.codec.UndecodableException;
import dev.weir.kafka.Output;
import dev.weir.kafka.Records;
import dev.weir.snapshot.KnownFiles;
import dev.weir.state.InMemoryStateBackend;
import dev.weir.state.StateCache;
import dev.weir.state.StateSchema;
import dev.weir.state.TaskState;
import dev.weir.topology.ProcessorSpec;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.common.serialization.Serdes;
import org.assertj.core.api.ObjectAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class RecordHandlerTest {

    private static final TopicPartition IN = new TopicPartition("in", 3);
    private static final ValueState<Long> TOTAL = ValueState.of("total", Long.class);
    private static final ValueState<byte[]> RAW = ValueState.of("raw", byte[].class);
    private static final MapState<String, Integer> SEEN = MapState.of("seen", String.class, Integer.class);

    private final Task task = openTask(3);

    private static Task openTask(int partition) {
        var id = new TaskId("counts", partition);
        var task = new Task(id, Set.of(IN));
        task.open(
                new TaskState(new InMemoryStateBackend().openEmpty(id), new StateCache(0)),
                KnownFiles.none(),
                StateSchema.empty());
        return task;
    }

    private static RecordHandler handler(Processor<String, String> processor, StateDescriptor... states) {
        return handler(String.class, processor, states);
    }

    private static RecordHandler handler(Class<?> keyType, Processor<?, ?> processor, StateDescriptor... states) {
        var mapper = JsonMapper.builder().build();
        return new RecordHandler(new BoundProcessor(
                new ProcessorSpec("counts", List.of("in"), List.of("out", "side"), List.of(states)),
                processor,
                new MessageCodec(mapper, keyType, String.class, Map.of()),
                new StateCodec(mapper)));
    }

    private List<Output> handle(RecordHandler handler, @Nullable String key, @Nullable String value) throws Exception {
        return handler.handle(task, new OneRecord(bytes(key), bytes(value), 1_000, Headers.none()), 0);
    }

    /** What a processor sees with one key, without changing anything. */
    private <T> T read(@Nullable String key, Function<ProcessorContext, T> look) throws Exception {
        var seen = new ArrayList<T>();
        handle(handler((message, context) -> seen.add(look.apply(context))), key, "");
        return seen.get(0);
    }

    private <T> ObjectAssert<T> assertSeen(String key, Function<ProcessorContext, T> look) throws Exception {
        return assertThatObject(read(key, look));
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(UTF_8);
    }

    @Test
    void whatARecordSetsIsThereForTheNextOfItsKeyAndOnlyForIt() throws Exception {
        var counting = handler((message, context) -> {
            var total = context.state(TOTAL);
            total.set(total.getOr(0L) + 1);
        });

        handle(counting, "a", "");
        handle(counting, "a", "");
        handle(counting, "b", "");

        assertSeen("a", context -> context.state(TOTAL).get()).isEqualTo(2L);
        assertSeen("b", context -> context.state(TOTAL).get()).isEqualTo(1L);
        assertSeen("c", context -> context.state(TOTAL).getOr(-1L)).isEqualTo(-1L);
        assertSeen("", context -> context.state(TOTAL).getOr(-1L))
                .as("an empty key is a key")
                .isEqualTo(-1L);
    }

    @Test
    void aRecordSeesItsOwnChanges() throws Exception {
        var seen = new ArrayList<@Nullable Long>();
        handle(
                handler((message, context) -> {
                    context.state(TOTAL).set(5L);
                    seen.add(context.state(TOTAL).get());
                    context.state(TOTAL).clear();
                    seen.add(context.state(TOTAL).get());
                }),
                "a",
                "");
        assertThat(seen).containsExactly(5L, null);
    }

    @Test
    void aRecordThatFailsLeavesNoTrace() throws Exception {
        var handler = handler((message, context) -> {
            context.state(TOTAL).set(Long.parseLong(message.value()));
            context.state(SEEN).put(message.value(), 1);
            context.emit("out", message.key(), "sum");
            if (message.value().equals("13")) {
                throw new java.io.IOException("unlucky");
            }
        });
        handle(handler, "a", "7");

        assertThatThrownBy(() -> handle(handler, "a", "13")).hasMessage("unlucky");

        assertSeen("a", context -> context.state(TOTAL).get()).isEqualTo(7L);
        assertSeen("a", context -> context.state(SEEN).get("13")).isNull();
        assertThat(handle(handler, "a", "8"))
                .as("nothing of the failed one is emitted with the next")
                .hasSize(1);
    }

    @Test
    void anErrorLeavesNoTraceEither() throws Exception {
        var handler = handler((message, context) -> {
            context.state(TOTAL).set(1L);
            throw new StackOverflowError();
        });

        assertThatThrownBy(() -> handle(handler, "a", "")).isInstanceOf(StackOverflowError.class);

        assertSeen("a", context -> context.state(TOTAL).get()).isNull();
    }

    @Test
    void aRecordThatCannotBeDecodedDoesNotReachTheProcessor() {
        var calls = new ArrayList<String>();
        var handler = handler(Long.class, (Processor<Long, String>) (message, context) -> calls.add("called"));

        assertThatThrownBy(() -> handle(handler, "no number", "")).isInstanceOf(UndecodableException.class);

        assertThat(calls).isEmpty();
        assertThatIllegalStateException().isThrownBy(handler::task);
    }

    @Test
    void bytesOfAStateThatTheProcessorChangesStayAsTheyWereSet() throws Exception {
        var handler = handler((message, context) -> {
            var raw = context.state(RAW);
            var now = raw.getOr(new byte[] {1});
            if (message.value().equals("set")) {
                raw.set(now);
            }
            now[0] = 99;
            throwIf(message.value().equals("fail"));
        });
        handle(handler, "a", "set");
        handle(handler, "a", "look");

        assertThatThrownBy(() -> handle(handler, "a", "fail")).hasMessage("failed");

        assertSeen("a", context -> context.state(RAW).get()).isEqualTo(new byte[] {1});
    }

    @Test
    void bytesOfASerdeThatTheProcessorChangesStayAsTheyWereSet() throws Exception {
        var state = ValueState.of("by-serde", Serdes.ByteArray());
        var handler = handler((message, context) -> {
            var raw = context.state(state);
            var now = raw.getOr(new byte[] {1});
            if (message.value().equals("set")) {
                raw.set(now);
            }
            now[0] = 99;
        });
        handle(handler, "a", "set");
        handle(handler, "a", "look");

        assertSeen("a", context -> context.state(state).get()).isEqualTo(new byte[] {1});
    }

    @Test
    void aKeyOfBytesThatTheProcessorChangesStaysTheKeyOfItsState() throws Exception {
        var handler = handler(byte[].class, (Processor<byte[], String>) (message, context) -> {
            message.key()[0] = 'z';
            context.state(TOTAL).set(1L);
        });

        handle(handler, "a", "");

        assertSeen("a", context -> context.state(TOTAL).get()).isEqualTo(1L);
        assertSeen("z", context -> context.state(TOTAL).get()).isNull();
    }

    private static void throwIf(boolean fails) {
        if (fails) {
            throw new IllegalArgumentException("failed");
        }
    }

    @Test
    void stateOfAMessageWithoutAKeyIsRefusedByName() {
        assertThatIllegalStateException()
                .isThrownBy(() -> read(null, context -> context.state(TOTAL)))
                .withMessage("Cannot use state 'total': the message has no key");
        assertThatIllegalStateException()
                .isThrownBy(() -> read(null, context -> context.state(SEEN)))
                .withMessage("Cannot use state 'seen': the message has no key");
    }

    @Test
    void aMessageWithoutAKeyCanBePassedOn() throws Exception {
        var outputs = handle(handler((message, context) -> context.emit("out", message.key(), "v")), null, "");

        assertThat(outputs).singleElement().satisfies(output -> assertThat(output.key())
                .isNull());
    }

    @Test
    void nullIsNoValueOfAState() throws Exception {
        var handler = handler((message, context) -> {
            switch (message.value()) {
                case "value" -> setNull(context.state(TOTAL));
                case "map value" -> context.state(SEEN).put("k", nothing());
                default -> context.state(SEEN).put(nothing(), 1);
            }
        });

        for (var what : List.of("value", "map value", "map key")) {
            assertThatIllegalArgumentException()
                    .as(what)
                    .isThrownBy(() -> handle(handler, "a", what))
                    .withMessageStartingWith("Cannot ")
                    .withMessageContaining("null");
        }
        assertSeen("a", context -> context.state(TOTAL).get()).isNull();
        assertSeen("a", context -> context.state(SEEN).isEmpty()).isEqualTo(true);
    }

    private static <T> void setNull(ValueAccess<T> access) {
        access.set(nothing());
    }

    /** What users without null checks hand over. */
    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // The point of the test.
    private static <T> T nothing() {
        return null;
    }

    @Test
    void anUndeclaredOutputIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read("a", context -> {
                    context.emit("elsewhere", "k", "v");
                    return 0;
                }))
                .withMessage("Cannot emit to elsewhere: processor counts declares the outputs [out, side]; add it to"
                        + " @StreamProcessor(outputs = …)");
    }

    @Test
    void whatIsTooLargeToSendIsRefusedBeforeItIsSent() throws Exception {
        var emitting = handler((message, context) -> context.emit("out", "k", message.value()));
        int whole = handle(emitting, "a", "x".repeat(50)).stream()
                .mapToInt(Output::sizeBound)
                .sum();

        emitting.limit(whole);
        assertThat(handle(emitting, "a", "x".repeat(50))).hasSize(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> handle(emitting, "a", "x".repeat(51)))
                .withMessage("Cannot emit to out: the record has " + (whole + 1) + " bytes, at most " + whole
                        + " can be sent; make it smaller or raise"
                        + " spring.kafka.producer.properties.max.request.size");
    }

    @Test
    void headersCountAsSize() {
        var without = new Output("out", null, null, Headers.none(), 0);
        var with = new Output(
                "out", null, null, Headers.none().with("h", new byte[40]).with("n", (byte[]) null), 0);

        assertThat(with.sizeBound() - without.sizeBound()).isBetween(42, 100);
    }

    @Test
    void anEmissionHasTheMessagesTimestampAndNoHeadersUnlessItSaysOtherwise() throws Exception {
        var handler = handler((message, context) -> {
            context.emit("out", "k", "v");
            context.emit(Emission.to("side").timestamp(5).header("h", null));
        });
        var given = Headers.none().with("not", "passed on");

        var outputs = List.copyOf(handler.handle(task, new OneRecord(bytes("a"), bytes(""), 1_000, given), 0));

        assertThat(outputs).hasSize(2);
        var plain = outputs.get(0);
        assertThat(plain.topic()).isEqualTo("out");
        assertThat(plain.key()).isEqualTo(bytes("k"));
        assertThat(plain.value()).isEqualTo(bytes("v"));
        assertThat(plain.timestamp()).isEqualTo(1_000);
        assertThat(plain.headers().isEmpty()).isTrue();
        var own = outputs.get(1);
        assertThat(own.timestamp()).isEqualTo(5);
        assertThat(own.key()).isNull();
        assertThat(own.value()).isNull();
        assertThat(own.headers()).containsExactly(new Headers.Header("h", null));
    }

    @Test
    void aMessageWithoutATimestampLeavesItsEmissionsToTheProducersClock() throws Exception {
        var handler = handler((message, context) -> context.emit("out", "k", "v"));

        var outputs = handler.handle(task, new OneRecord(bytes("a"), bytes(""), -1, Headers.none()), 0);

        assertThat(outputs.get(0).timestamp()).isEqualTo(-1);
    }

    @Test
    void aTombstoneIsNotAnEmptyValueOnTheWayInAndOnTheWayOut() throws Exception {
        var handler = handler((message, context) -> {
            assertThat(message.isTombstone()).isEqualTo(message.value() == null);
            context.emit("out", "k", message.value());
        });

        assertThat(handle(handler, "a", null).get(0).value()).isNull();
        assertThat(handle(handler, "a", "").get(0).value()).isEmpty();
    }

    @Test
    void theMessageSaysWhereItComesFrom() throws Exception {
        var given = Headers.none().with("h", "1");
        var handler = handler((message, context) -> {
            assertThat(message.topic()).isEqualTo("in");
            assertThat(message.partition()).isEqualTo(3);
            assertThat(message.offset()).isEqualTo(42);
            assertThat(message.timestamp()).isEqualTo(1_000);
            assertThat(message.headers()).isEqualTo(given);
            assertThat(context.processor()).isEqualTo("counts");
            assertThat(context.task()).isEqualTo(3);
            context.emit("out", "", "reached");
        });

        assertThat(handler.handle(task, new OneRecord(bytes("a"), bytes(""), 1_000, given), 0))
                .hasSize(1);
    }

    @Test
    void aMapIsReadAndChangedEntryByEntry() throws Exception {
        handle(
                handler((message, context) -> {
                    var seen = context.state(SEEN);
                    assertThat(seen.isEmpty()).isTrue();
                    seen.put("b", 2);
                    seen.put("a", 1);
                    seen.put("c", 3);
                    seen.remove("c");
                    assertThat(seen.isEmpty()).isFalse();
                }),
                "k",
                "");

        var entries = read("k", context -> {
            var found = new ArrayList<String>();
            context.state(SEEN).forEach((key, value) -> found.add(key + "=" + value));
            return found;
        });

        assertThat(entries).containsExactly("a=1", "b=2");
        assertSeen("k", context -> context.state(SEEN).get("b")).isEqualTo(2);
        assertSeen("k", context -> context.state(SEEN).getOr("c", 9)).isEqualTo(9);
        assertSeen("kk", context -> context.state(SEEN).isEmpty())
                .as("of another key whose bytes begin alike")
                .isEqualTo(true);
    }

    @Test
    void clearingAMapEmptiesThatOfTheKeyAndNoOther() throws Exception {
        var putting = handler((message, context) -> context.state(SEEN).put(message.value(), 1));
        handle(putting, "k", "kept earlier");
        handle(putting, "other", "x");
        handle(
                handler((message, context) -> {
                    context.state(SEEN).put("staged", 1);
                    context.state(SEEN).clear();
                    context.state(SEEN).put("after", 1);
                }),
                "k",
                "");

        var left = read("k", context -> {
            var found = new HashMap<String, Integer>();
            context.state(SEEN).forEach(found::put);
            return found;
        });
        assertThat(left).containsOnlyKeys("after");
        assertSeen("other", context -> context.state(SEEN).get("x")).isEqualTo(1);
    }

    @Test
    void outsideOfACallTheContextIsOfNoUse() throws Exception {
        var kept = new ArrayList<ProcessorContext>();
        var access = new ArrayList<ValueAccess<Long>>();
        handle(
                handler((message, context) -> {
                    kept.add(context);
                    access.add(context.state(TOTAL));
                }),
                "a",
                "");
        var context = kept.get(0);

        assertThatIllegalStateException()
                .isThrownBy(context::task)
                .withMessageContaining("no message is being handled");
        assertThatIllegalStateException().isThrownBy(() -> context.state(TOTAL));
        assertThatIllegalStateException().isThrownBy(() -> context.state(SEEN));
        assertThatIllegalStateException().isThrownBy(() -> context.emit("out", "k", "v"));
        assertThatIllegalStateException().isThrownBy(() -> access.get(0).get());
        assertThatIllegalStateException().isThrownBy(() -> access.get(0).set(1L));
    }

    @Test
    void anAccessThatIsKeptForALaterMessageIsRefusedAndNeverMeetsAnotherKey() throws Exception {
        var access = new ArrayList<ValueAccess<Long>>();
        var handler = handler((message, context) -> {
            if (access.isEmpty()) {
                access.add(context.state(TOTAL));
            }
            access.get(0).set(1L);
        });
        handle(handler, "a", "");

        assertThatIllegalStateException()
                .isThrownBy(() -> handle(handler, "b", ""))
                .withMessageContaining("'total'");

        assertSeen("b", context -> context.state(TOTAL).get()).isNull();
    }

    @Test
    void oneStateNameHasOneType() throws Exception {
        var text = ValueState.of("total", String.class);
        var map = MapState.of("total", String.class, Long.class);
        handle(handler((message, context) -> context.state(TOTAL).set(1L)), "a", "");

        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> read("a", context -> context.state(text)))
                    .withMessageStartingWith(
                            "Cannot use state 'total' as value of value<text>: it is stored as value of"
                                    + " value<json java.lang.Long>");
            assertThatIllegalStateException()
                    .isThrownBy(() -> read("a", context -> context.state(map)))
                    .withMessageStartingWith("Cannot use state 'total' as map of ");
        }
        assertSeen("a", context -> context.state(TOTAL).get()).isEqualTo(1L);
    }

    @Test
    void oneHandlerServesManyTasksAndKeepsTheirStatesApart() throws Exception {
        var other = openTask(4);
        handle(handler((message, context) -> context.state(SEEN).put("x", 1)), "a", "");
        var handler = handler((message, context) -> context.state(TOTAL).set(1L + context.task()));
        var record = new OneRecord(bytes("a"), bytes(""), 0, Headers.none());

        handler.handle(task, record, 0);
        handler.handle(other, record, 0);
        handler.handle(task, record, 0);

        assertSeen("a", context -> context.state(TOTAL).get()).isEqualTo(4L);
        assertThat(task.schema().number("total")).as("after seen").isEqualTo(2);
        assertThat(other.schema().number("total")).isEqualTo(1);
    }

    @Test
    void allDeclaredStatesGetANumberThatNeverChanges() {
        var first = handler((message, context) -> {}, TOTAL).declareAll(StateSchema.empty());
        var later = handler((message, context) -> {}, SEEN, TOTAL).declareAll(first);

        assertThat(later.number("total")).isEqualTo(first.number("total"));
        assertThat(later.entries()).hasSize(2);
    }

    @Test
    void aDeadLetterIsTheRecordAsItWasAndSaysWhereItComesFromAndWhy() {
        var given = Headers.none().with("own", "1");
        var record = new OneRecord(null, new byte[] {0, -1}, 77, given);

        var letter = handler((message, context) -> {}).deadLetter("dead", record, 0, new IllegalStateException("why"));

        assertThat(letter.topic()).isEqualTo("dead");
        assertThat(letter.key()).isNull();
        assertThat(letter.value()).containsExactly(0, -1);
        assertThat(letter.timestamp()).isEqualTo(77);
        var headers = new HashMap<String, @Nullable String>();
        letter.headers().forEach(header -> headers.put(header.name(), header.text()));
        assertThat(headers)
                .isEqualTo(Map.of(
                        "own", "1",
                        "weir.dead-letter.processor", "counts",
                        "weir.dead-letter.topic", "in",
                        "weir.dead-letter.partition", "3",
                        "weir.dead-letter.offset", "42",
                        "weir.dead-letter.exception", "java.lang.IllegalStateException",
                        "weir.dead-letter.message", "why"));
    }

    @Test
    void aDeadLetterThatIsTooLargeToSendIsRefusedHoweverLongTheReasonIs() {
        var handler = handler((message, context) -> {});
        var record = new OneRecord(null, new byte[5_000], 77, Headers.none());
        var endless = new IllegalStateException("why".repeat(100_000));

        handler.limit(10_000);
        assertThat(handler.deadLetter("dead", record, 0, endless).headers().last("weir.dead-letter.message"))
                .extracting(Headers.Header::text)
                .isEqualTo("why".repeat(334).substring(0, 1_000));
        handler.limit(6_000);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> handler.deadLetter("dead", record, 0, endless))
                .withMessageStartingWith("Cannot emit to dead: the record has ");
    }

    /** A batch of one record at offset 42. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record OneRecord(byte @Nullable [] keyBytes, byte @Nullable [] valueBytes, long millis, Headers given)
            implements Records {

        @Override
        public TopicPartition partition() {
            return IN;
        }

        @Override
        public int size() {
            return 1;
        }

        @Override
        public long offset(int index) {
            return 42;
        }

        @Override
        public long timestamp(int index) {
            return millis;
        }

        @Override
        public byte @Nullable [] key(int index) {
            return keyBytes;
        }

        @Override
        public byte @Nullable [] value(int index) {
            return valueBytes;
        }

        @Override
        public Headers headers(int index) {
            return given;
        }

        @Override
        public @Nullable Marker marker(int index) {
            return null;
        }

        @Override
        public long nextOffset() {
            return 43;
        }
    }
}
