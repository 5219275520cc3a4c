package dev.weir.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.state.Bytes;
import dev.weir.state.Changes;
import dev.weir.state.StateBackend;
import dev.weir.state.TaskStore;
import dev.weir.topology.TaskId;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** Stores whose files hold {@code key=value} lines; notes what is opened and closed. */
final class FakeBackend implements StateBackend {

    final List<Store> opened = new ArrayList<>();
    final Map<String, String> onDisk = new HashMap<>();
    int assemblies;
    int assembliesClosed;

    @Nullable
    Store clean;

    @Nullable
    String cleanFingerprint;

    long openAtOtherEpoch = -1;

    @Override
    public TaskStore openEmpty(TaskId task) {
        return open(new Store(0));
    }

    @Override
    public @Nullable TaskStore openClean(TaskId task, long epoch, String fingerprint) {
        return fingerprint.equals(cleanFingerprint) ? clean : null;
    }

    @Override
    public void closeClean(TaskId task, TaskStore store, String fingerprint) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Assembly assemble(TaskId task) {
        assemblies++;
        return new Files();
    }

    @Override
    public Set<Integer> tasksOnDisk(String processor) {
        return Set.of();
    }

    @Override
    public void close() {}

    private Store open(Store store) {
        opened.add(store);
        return store;
    }

    private final class Files implements Assembly {

        private final Map<String, ByteArrayOutputStream> files = new ConcurrentHashMap<>();

        @Override
        public boolean reuse(String name, long sizeBytes, String sha256) {
            var content = onDisk.get(sha256);
            if (content == null) {
                return false;
            }
            create(name).writeBytes(content.getBytes(UTF_8));
            return true;
        }

        @Override
        public ByteArrayOutputStream create(String name) {
            var out = new ByteArrayOutputStream();
            files.put(name, out);
            return out;
        }

        @Override
        public TaskStore open(long epoch) {
            var store = new Store(openAtOtherEpoch >= 0 ? openAtOtherEpoch : epoch);
            new TreeMap<>(files).values().forEach(file -> file.toString(UTF_8)
                    .lines()
                    .forEach(line -> store.put(line.split("=", 2)[0], line.split("=", 2)[1])));
            return FakeBackend.this.open(store);
        }

        @Override
        public void close() {
            assembliesClosed++;
        }
    }

    static final class Store implements TaskStore {

        final TreeMap<String, String> entries = new TreeMap<>();
        final List<Long> applied = new ArrayList<>();
        private long epoch;
        boolean closedDirty;

        Store(long epoch) {
            this.epoch = epoch;
        }

        void put(String key, String value) {
            entries.put(key, value);
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            var value = entries.get(new String(key, UTF_8));
            return value == null ? null : value.getBytes(UTF_8);
        }

        @Override
        public List<byte @Nullable []> getAll(List<byte[]> keys) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void scan(byte[] prefix, BiPredicate<byte[], byte[]> each) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void apply(Changes changes) {
            for (Map.Entry<Bytes, byte @Nullable []> entry : changes.entries().entrySet()) {
                var value = entry.getValue();
                var key = new String(entry.getKey().array(), UTF_8);
                if (value == null) {
                    entries.remove(key);
                } else {
                    put(key, new String(value, UTF_8));
                }
            }
            applied.add(changes.epoch());
            epoch = changes.epoch();
        }

        @Override
        public void advanceTo(long toEpoch) {
            epoch = toEpoch;
        }

        @Override
        public long epoch() {
            return epoch;
        }

        @Override
        public LocalCheckpoint checkpoint() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long sizeBytes() {
            return 0;
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void closeDirty() {
            closedDirty = true;
        }
    }
}
