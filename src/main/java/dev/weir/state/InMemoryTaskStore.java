package dev.weir.state;

import dev.weir.topology.TaskId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** A task's state in a sorted map. */
final class InMemoryTaskStore implements TaskStore {

    private final TaskId task;
    private final InMemoryStateBackend backend;
    private final StoreGate gate;
    private final Object lock = new Object();
    private final TreeMap<Bytes, byte[]> entries;
    private long bytes;
    private volatile long epoch;

    InMemoryTaskStore(TaskId task, InMemoryStateBackend backend, TreeMap<Bytes, byte[]> entries, long epoch) {
        this.task = task;
        this.backend = backend;
        this.gate = new StoreGate("the store of task " + task);
        this.entries = entries;
        this.epoch = epoch;
        entries.forEach((key, value) -> bytes += (long) key.array().length + value.length);
    }

    TaskId task() {
        return task;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        gate.enter();
        try {
            synchronized (lock) {
                byte[] value = entries.get(Bytes.of(key));
                return value == null ? null : value.clone();
            }
        } finally {
            gate.exit();
        }
    }

    @Override
    public void scan(byte[] prefix, BiPredicate<byte[], byte[]> each) {
        gate.enter();
        try {
            for (Map.Entry<Bytes, byte[]> entry : copy(prefix)) {
                if (!each.test(entry.getKey().array().clone(), entry.getValue().clone())) {
                    return;
                }
            }
        } finally {
            gate.exit();
        }
    }

    @Override
    public List<byte @Nullable []> getAll(List<byte[]> keys) {
        var values = new ArrayList<byte @Nullable []>(keys.size());
        keys.forEach(key -> values.add(get(key)));
        return values;
    }

    private List<Map.Entry<Bytes, byte[]>> copy(byte[] prefix) {
        List<Map.Entry<Bytes, byte[]>> copy = new ArrayList<>();
        synchronized (lock) {
            for (Map.Entry<Bytes, byte[]> entry :
                    entries.tailMap(Bytes.of(prefix), true).entrySet()) {
                if (!StorageKeys.startsWith(entry.getKey().array(), prefix)) {
                    break;
                }
                copy.add(Map.entry(entry.getKey(), entry.getValue().clone()));
            }
        }
        return copy;
    }

    @Override
    public void apply(Changes changes) {
        gate.enter();
        try {
            StoreRules.checkApply(task, epoch, changes);
            synchronized (lock) {
                changes.forEach(this::set);
                epoch = changes.epoch();
            }
        } finally {
            gate.exit();
        }
    }

    private void set(Bytes key, byte @Nullable [] value) {
        byte[] old;
        if (value == null) {
            old = entries.remove(key);
        } else {
            old = entries.put(Bytes.of(key.array().clone()), value.clone());
            bytes += (long) key.array().length + value.length;
        }
        if (old != null) {
            bytes -= (long) key.array().length + old.length;
        }
    }

    @Override
    public void advanceTo(long newEpoch) {
        gate.enter();
        try {
            StoreRules.checkAdvance(task, epoch, newEpoch);
            epoch = newEpoch;
        } finally {
            gate.exit();
        }
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public LocalCheckpoint checkpoint() {
        gate.enter();
        try {
            Changes all;
            synchronized (lock) {
                all = Changes.of(task, epoch, new TreeMap<>(entries));
            }
            return backend.checkpoint(
                    task, all.epoch(), DeltaCodec.encode(List.of(all)).bytes());
        } finally {
            gate.exit();
        }
    }

    @Override
    public long sizeBytes() {
        synchronized (lock) {
            return bytes;
        }
    }

    @Override
    public void close() {
        shut();
    }

    @Override
    public void closeDirty() {
        shut();
    }

    /** Closes it; null if it was closed before, else its entries. */
    @Nullable
    TreeMap<Bytes, byte[]> shut() {
        return gate.close(() -> backend.closed(this)) ? entries : null;
    }
}
