package dev.weir.state;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Merges sorted layers of changes, the uppermost first, with a store's entries under them, for one prefix. */
final class OverlayScan {

    private final byte[] prefix;
    private final BiPredicate<byte[], byte[]> each;
    private final List<Layer<?>> layers = new ArrayList<>();
    private boolean stopped;

    OverlayScan(byte[] prefix, BiPredicate<byte[], byte[]> each) {
        this.prefix = prefix;
        this.each = each;
    }

    /** Adds a layer below those added before; its entries begin at or after the prefix. */
    <T> void add(NavigableMap<Bytes, T> from, Function<T, @Nullable Object> held) {
        Layer<T> layer = new Layer<>(from.entrySet().iterator(), held);
        if (layer.advance()) {
            layers.add(layer);
        }
    }

    void run(TaskStore store) {
        if (layers.isEmpty()) {
            store.scan(prefix, each);
            return;
        }
        store.scan(prefix, this::visit);
        while (!stopped && !layers.isEmpty()) {
            emit(lowest());
        }
    }

    private boolean visit(byte[] key, byte[] value) {
        while (!stopped && !layers.isEmpty()) {
            Bytes lowest = lowest();
            int order = Arrays.compareUnsigned(lowest.array(), key);
            if (order > 0) {
                break;
            }
            emit(lowest);
            if (order == 0) {
                return !stopped;
            }
        }
        stopped = stopped || !each.test(key, value);
        return !stopped;
    }

    private Bytes lowest() {
        Bytes lowest = layers.get(0).key;
        for (int i = 1; i < layers.size(); i++) {
            Bytes key = layers.get(i).key;
            lowest = key.compareTo(lowest) < 0 ? key : lowest;
        }
        return lowest;
    }

    /** Hands over what the uppermost layer says of a key, and passes it in all layers. */
    private void emit(Bytes key) {
        boolean found = false;
        Object held = null;
        for (Iterator<Layer<?>> all = layers.iterator(); all.hasNext(); ) {
            Layer<?> layer = all.next();
            if (layer.key.equals(key)) {
                held = found ? held : layer.held();
                found = true;
                if (!layer.advance()) {
                    all.remove();
                }
            }
        }
        byte[] value = held instanceof Unencoded later ? later.bytes() : (byte[]) held;
        if (value != null) {
            stopped = !each.test(key.array(), value);
        }
    }

    private final class Layer<T> {

        private final Iterator<Map.Entry<Bytes, T>> rest;
        private final Function<T, @Nullable Object> held;
        private Bytes key = Bytes.of(prefix);
        private @Nullable T value;

        Layer(Iterator<Map.Entry<Bytes, T>> rest, Function<T, @Nullable Object> held) {
            this.rest = rest;
            this.held = held;
        }

        @Nullable
        Object held() {
            return value == null ? null : held.apply(value);
        }

        boolean advance() {
            if (!rest.hasNext()) {
                return false;
            }
            Map.Entry<Bytes, T> next = rest.next();
            key = next.getKey();
            value = next.getValue();
            return StorageKeys.startsWith(key.array(), prefix);
        }
    }
}
