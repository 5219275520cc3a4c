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
import dev.weir.failure.ConfigurationException;
import dev.weir.kafka.Output;
import dev.weir.kafka.Records;
import dev.weir.state.Bytes;
import dev.weir.state.StateSchema;
import dev.weir.state.StorageKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Hands one record at a time to the processor. What the record sets and emits is held back until its handler returns, so that one that
 * fails leaves no trace. Owned by the thread; the context and all accesses are made once and used for every record.
 */
final class RecordHandler implements ProcessorContext {

    private static final int MAX_REASON_LENGTH = 1_000;

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
                if (view instanceof StateView.OfValue && view.reads * 2 >= handled) {
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
        var view = (StateView.OfValue<T>) views.get(state);
        if (view == null) {
            view = new StateView.OfValue<>(this, state, bound.states().of(state.type()));
            views.put(state, view);
        }
        view.bind();
        return view;
    }

    @Override
    @SuppressWarnings("unchecked") // A view is kept under the descriptor that it was made for.
    public <K, V> MapAccess<K, V> state(MapState<K, V> state) {
        var view = (StateView.OfMap<K, V>) views.get(state);
        if (view == null) {
            view = new StateView.OfMap<>(
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

    /** Whose message is being handled. */
    Task current() {
        if (task == null) {
            throw new IllegalStateException("Cannot use the context: no message is being handled on this thread");
        }
        return task;
    }

    /** Whether this very array is the key of the message being handled. */
    boolean isCurrentKey(byte[] candidate) {
        return candidate == key;
    }

    /** The key of the message being handled, for a state. */
    byte[] currentKey(String state) {
        if (key == null) {
            throw new IllegalStateException("Cannot use state '" + state + "': the message has no key");
        }
        return key;
    }

    /** The number of a state in the task, which it gets now if it has none. */
    int number(Task owner, StateDescriptor descriptor) {
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
}
