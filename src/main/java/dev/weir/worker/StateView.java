package dev.weir.worker;

import dev.weir.api.MapAccess;
import dev.weir.api.MapState;
import dev.weir.api.StateDescriptor;
import dev.weir.api.ValueAccess;
import dev.weir.api.ValueState;
import dev.weir.codec.Codec;
import dev.weir.state.Bytes;
import dev.weir.state.StorageKeys;
import dev.weir.state.TaskState;
import java.util.ArrayList;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Access to one state of whatever task and key are current. */
abstract sealed class StateView permits StateView.OfValue, StateView.OfMap {

    private static final byte[] NO_KEY = new byte[0];

    private final RecordHandler handler;
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
        if (task != boundTo || !handler.isCurrentKey(key)) {
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

    static final class OfValue<T> extends StateView implements ValueAccess<T> {

        private final Codec<T> codec;
        private Bytes storageKey = Bytes.of(NO_KEY);

        OfValue(RecordHandler handler, ValueState<T> state, Codec<T> codec) {
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

    static final class OfMap<K, V> extends StateView implements MapAccess<K, V> {

        private final Codec<K> keys;
        private final Codec<V> values;

        OfMap(RecordHandler handler, MapState<K, V> state, Codec<K> keys, Codec<V> values) {
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
}
