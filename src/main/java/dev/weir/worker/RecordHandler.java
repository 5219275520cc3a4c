package dev.weir.worker;

import dev.weir.api.Emission;
import dev.weir.api.Headers;
import dev.weir.api.MapAccess;
import dev.weir.api.MapState;
import dev.weir.api.Processor;
import dev.weir.api.ProcessorContext;
import dev.weir.api.StateDescriptor;
import dev.weir.api.ValueAccess;
import dev.weir.api.ValueState;
import dev.weir.codec.Codec;
import dev.weir.codec.MessageCodec;
import dev.weir.failure.ConfigurationException;
import dev.weir.kafka.Output;
import dev.weir.kafka.Records;
import dev.weir.state.Bytes;
import dev.weir.state.StateSchema;
import dev.weir.state.StorageKeys;
import dev.weir.state.TaskState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands one record at a time to the processor. What the record sets and emits is held back until its handler returns, so that one that
 * fails leaves no trace. Owned by the thread; the context and all accesses are made once and used for every record.
 */
final class RecordHandler implements ProcessorContext {

    private static final int MAX_REASON_LENGTH = 1_000;
    private static final byte[] NO_KEY = new byte[0];

    private final BoundProcessor bound;
    private final Processor<Object, Object> processor;
    private final Set<String> outputs;
    private final MessageView message = new MessageView();
    private final List<Output> emitted = new ArrayList<>();
    private final Map<StateDescriptor, StateView> views = new HashMap<>();
    private int maxRecordBytes = Integer.MAX_VALUE;
    private @Nullable Task task;
    private byte @Nullable [] key;
    private long timestamp;
    private final List<String> usual = new ArrayList<>();
    /** Since it was last asked for keys. */
    private int handled;

    @SuppressWarnings("unchecked") // The codec was made for the processor's own types.
    RecordHandler(BoundProcessor bound) {
        this.bound = bound;
        this.processor = (Processor<Object, Object>) bound.processor();
        this.outputs = Set.copyOf(bound.spec().outputs());
    }

    /** Emitting something larger than this is refused. */
    void limit(int newMaxRecordBytes) {
        maxRecordBytes = newMaxRecordBytes;
    }

    /**
     * Handles a record.
     *
     * @return what it emitted, valid until the next call
     * @throws Exception what the decoding or the handler threw; then the record has left no trace
     */
    List<Output> handle(Task owner, Records records, int index) throws Exception {
        task = owner;
        key = records.key(index);
        timestamp = records.timestamp(index);
        emitted.clear();
        handled++;
        boolean done = false;
        try {
            message.set(records, index, key, bound.messages());
            processor.process(message, this);
            owner.openState().keep();
            done = true;
            return emitted;
        } finally {
            if (!done) {
                owner.openState().discard();
                emitted.clear();
            }
            task = null;
        }
    }

    /** The storage keys that these records' handlers will most likely read: those of the states that most of the last ones have read. */
    List<Bytes> keysAhead(Task owner, Records records) {
        if (handled > 0) {
            usual.clear();
            for (var view : views.values()) {
                if (view instanceof ValueView && view.reads * 2 >= handled) {
                    usual.add(view.descriptor.name());
                }
                view.reads = 0;
            }
            handled = 0;
        }
        var ahead = new ArrayList<Bytes>(usual.size() * records.size());
        for (var name : usual) {
            var state = owner.schema().find(name);
            for (int i = 0; state != null && i < records.size(); i++) {
                var of = records.key(i);
                if (of != null) {
                    ahead.add(Bytes.of(StorageKeys.value(state.number(), of)));
                }
            }
        }
        return ahead;
    }

    /** Makes sure that every state that the processor declares has a number in the task. */
    StateSchema declareAll(StateSchema schema) {
        var declared = schema;
        for (var descriptor : bound.spec().states()) {
            declared = declared.declare(
                    kind(descriptor), descriptor.name(), bound.states().describe(descriptor));
        }
        return declared;
    }

    @Override
    public String processor() {
        return bound.spec().name();
    }

    @Override
    public int task() {
        return current().id.partition();
    }

    @Override
    @SuppressWarnings("unchecked") // A view is kept under the descriptor that it was made for.
    public <T> ValueAccess<T> state(ValueState<T> state) {
        var view = (ValueView<T>) views.get(state);
        if (view == null) {
            view = new ValueView<>(this, state, bound.states().of(state.type()));
            views.put(state, view);
        }
        view.bind();
        return view;
    }

    @Override
    @SuppressWarnings("unchecked") // A view is kept under the descriptor that it was made for.
    public <K, V> MapAccess<K, V> state(MapState<K, V> state) {
        var view = (MapView<K, V>) views.get(state);
        if (view == null) {
            view = new MapView<>(
                    this,
                    state,
                    bound.states().of(state.keyType()),
                    bound.states().of(state.valueType()));
            views.put(state, view);
        }
        view.bind();
        return view;
    }

    @Override
    public void emit(Emission emission) {
        current();
        if (!outputs.contains(emission.topic())) {
            throw new IllegalArgumentException("Cannot emit to " + emission.topic() + ": processor " + processor()
                    + " declares the outputs " + bound.spec().outputs() + "; add it to @StreamProcessor(outputs = …)");
        }
        var own = emission.timestamp();
        var output = new Output(
                emission.topic(),
                bound.messages().encodeKey(emission.topic(), emission.key()),
                bound.messages().encodeValue(emission.topic(), emission.value()),
                emission.headers(),
                own == null ? timestamp : own);
        emitted.add(checked(output));
    }

    private Output checked(Output output) {
        int size = output.sizeBound();
        if (size > maxRecordBytes) {
            throw new IllegalArgumentException("Cannot emit to " + output.topic() + ": the record has " + size
                    + " bytes, at most " + maxRecordBytes
                    + " can be sent; make it smaller or raise spring.kafka.producer.properties.max.request.size");
        }
        return output;
    }

    private Task current() {
        if (task == null) {
            throw new IllegalStateException("Cannot use the context: no message is being handled on this thread");
        }
        return task;
    }

    private byte[] currentKey(String state) {
        if (key == null) {
            throw new IllegalStateException("Cannot use state '" + state + "': the message has no key");
        }
        return key;
    }

    private int number(Task owner, StateDescriptor descriptor) {
        try {
            var schema = owner.schema()
                    .declare(kind(descriptor), descriptor.name(), bound.states().describe(descriptor));
            owner.schema(schema);
            return schema.number(descriptor.name());
        } catch (ConfigurationException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private static StateSchema.Kind kind(StateDescriptor descriptor) {
        return descriptor instanceof MapState ? StateSchema.Kind.MAP : StateSchema.Kind.VALUE;
    }

    /** Access to one state of whatever task and key are current. */
    private abstract static class StateView {

        final RecordHandler handler;
        final StateDescriptor descriptor;
        private @Nullable Task boundTo;
        int number;
        byte[] key = NO_KEY;
        int reads;

        StateView(RecordHandler handler, StateDescriptor descriptor) {
            this.handler = handler;
            this.descriptor = descriptor;
        }

        final void bind() {
            var task = handler.current();
            byte[] current = handler.currentKey(descriptor.name());
            if (task != boundTo) {
                number = handler.number(task, descriptor);
                boundTo = task;
                key = NO_KEY;
            }
            if (current != key) {
                key = current;
                onKey();
            }
        }

        /** The key is another one now. */
        abstract void onKey();

        final TaskState store() {
            var task = handler.current();
            if (task != boundTo || key != handler.key) {
                throw new IllegalStateException("Cannot use state '" + descriptor.name()
                        + "' through what another message got of it; get it from the context for each message");
            }
            return task.openState();
        }

        /** Null would be stored as something that cannot be read again. */
        final <V> V present(@Nullable V part) {
            if (part == null) {
                throw new IllegalArgumentException("Cannot change state '" + descriptor.name()
                        + "': a key or value is null; remove what is to be absent");
            }
            return part;
        }
    }

    private static final class ValueView<T> extends StateView implements ValueAccess<T> {

        private final Codec<T> codec;
        private Bytes storageKey = Bytes.of(NO_KEY);

        ValueView(RecordHandler handler, ValueState<T> state, Codec<T> codec) {
            super(handler, state);
            this.codec = codec;
        }

        @Override
        public @Nullable T get() {
            reads++;
            return store().get(storageKey, codec);
        }

        @Override
        public void set(T value) {
            store().put(storageKey, codec, present(value));
        }

        @Override
        public void clear() {
            store().put(storageKey, null);
        }

        @Override
        void onKey() {
            storageKey = Bytes.of(StorageKeys.value(number, key));
        }
    }

    private static final class MapView<K, V> extends StateView implements MapAccess<K, V> {

        private final Codec<K> keys;
        private final Codec<V> values;

        MapView(RecordHandler handler, MapState<K, V> state, Codec<K> keys, Codec<V> values) {
            super(handler, state);
            this.keys = keys;
            this.values = values;
        }

        @Override
        public @Nullable V get(K mapKey) {
            return store().get(storageKey(mapKey), values);
        }

        @Override
        public void put(K mapKey, V value) {
            store().put(storageKey(mapKey), values, present(value));
        }

        @Override
        public void remove(K mapKey) {
            store().put(storageKey(mapKey), null);
        }

        @Override
        public void forEach(BiConsumer<? super K, ? super V> action) {
            store().scan(StorageKeys.mapPrefix(number, key), (storageKey, value) -> {
                action.accept(keys.decode(StorageKeys.mapKeyOf(storageKey)), values.decode(value));
                return true;
            });
        }

        @Override
        public boolean isEmpty() {
            var found = new boolean[1];
            store().scan(StorageKeys.mapPrefix(number, key), (storageKey, value) -> {
                found[0] = true;
                return false;
            });
            return !found[0];
        }

        @Override
        public void clear() {
            var all = new ArrayList<byte[]>();
            store().scan(StorageKeys.mapPrefix(number, key), (storageKey, value) -> all.add(storageKey));
            all.forEach(storageKey -> store().put(Bytes.of(storageKey), null));
        }

        @Override
        void onKey() {}

        private Bytes storageKey(K mapKey) {
            return Bytes.of(StorageKeys.mapEntry(number, key, keys.encode(present(mapKey))));
        }
    }

    /**
     * The dead letter of a record: its bytes as they were, and where it came from.
     *
     * @throws IllegalArgumentException if it is too large to be sent
     */
    Output deadLetter(String topic, Records records, int index, Exception cause) {
        var reason = String.valueOf(cause.getMessage());
        Headers headers = records.headers(index)
                .with("weir.dead-letter.processor", processor())
                .with("weir.dead-letter.topic", records.partition().topic())
                .with(
                        "weir.dead-letter.partition",
                        Integer.toString(records.partition().partition()))
                .with("weir.dead-letter.offset", Long.toString(records.offset(index)))
                .with("weir.dead-letter.exception", cause.getClass().getName())
                .with("weir.dead-letter.message", reason.substring(0, Math.min(reason.length(), MAX_REASON_LENGTH)));
        return checked(new Output(topic, records.key(index), records.value(index), headers, records.timestamp(index)));
    }

    /** The message being handled. */
    private static final class MessageView implements dev.weir.api.Message<Object, Object> {

        private @Nullable Records records;
        private int index;
        private @Nullable Object key;
        private @Nullable Object value;
        private boolean tombstone;

        void set(Records newRecords, int newIndex, byte @Nullable [] keyBytes, MessageCodec codec) {
            records = newRecords;
            index = newIndex;
            var topic = newRecords.partition().topic();
            var valueBytes = newRecords.value(newIndex);
            tombstone = valueBytes == null;
            key = codec.decodeKey(topic, keyBytes);
            value = codec.decodeValue(topic, valueBytes);
        }

        private Records records() {
            if (records == null) {
                throw new IllegalStateException("Cannot read the message: none is being handled");
            }
            return records;
        }

        @Override
        public String topic() {
            return records().partition().topic();
        }

        @Override
        public int partition() {
            return records().partition().partition();
        }

        @Override
        public long offset() {
            return records().offset(index);
        }

        @Override
        public long timestamp() {
            return records().timestamp(index);
        }

        @Override
        @SuppressWarnings(
                "NullAway") // Null where the record has none, as the interface says; the type argument cannot say so
        // here.
        public Object key() {
            return key;
        }

        @Override
        @SuppressWarnings(
                "NullAway") // Null for a tombstone, as the interface says; the type argument cannot say so here.
        public Object value() {
            return value;
        }

        @Override
        public boolean isTombstone() {
            return tombstone;
        }

        @Override
        public Headers headers() {
            return records().headers(index);
        }
    }
}
