package dev.weir.fault;

import dev.weir.state.Changes;
import dev.weir.state.StateBackend;
import dev.weir.state.TaskStore;
import dev.weir.topology.TaskId;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** Passes everything on, also to the stores that it opens; faults override what they are about. */
class ForwardingBackend implements StateBackend {

    final StateBackend real;

    ForwardingBackend(StateBackend real) {
        this.real = real;
    }

    /** Called on the thread that applies, before a store does so. */
    void beforeApply(TaskId task) {}

    @Override
    public TaskStore openEmpty(TaskId task) {
        return new Store(task, real.openEmpty(task));
    }

    @Override
    public @Nullable TaskStore openClean(TaskId task, long epoch, String fingerprint) {
        var opened = real.openClean(task, epoch, fingerprint);
        return opened == null ? null : new Store(task, opened);
    }

    @Override
    public void closeClean(TaskId task, TaskStore store, String fingerprint) {
        real.closeClean(task, ((Store) store).store, fingerprint);
    }

    @Override
    public Assembly assemble(TaskId task) {
        var assembly = real.assemble(task);
        return new Assembly() {
            @Override
            public boolean reuse(String name, long sizeBytes, String sha256) {
                return assembly.reuse(name, sizeBytes, sha256);
            }

            @Override
            public OutputStream create(String name) throws IOException {
                return assembly.create(name);
            }

            @Override
            public TaskStore open(long epoch) {
                return new Store(task, assembly.open(epoch));
            }

            @Override
            public void close() {
                assembly.close();
            }
        };
    }

    @Override
    public Set<Integer> tasksOnDisk(String processor) {
        return real.tasksOnDisk(processor);
    }

    @Override
    public void close() {
        real.close();
    }

    private final class Store implements TaskStore {

        private final TaskId task;
        private final TaskStore store;

        Store(TaskId task, TaskStore store) {
            this.task = task;
            this.store = store;
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            return store.get(key);
        }

        @Override
        public List<byte @Nullable []> getAll(List<byte[]> keys) {
            return store.getAll(keys);
        }

        @Override
        public void scan(byte[] prefix, BiPredicate<byte[], byte[]> each) {
            store.scan(prefix, each);
        }

        @Override
        public void apply(Changes changes) {
            beforeApply(task);
            store.apply(changes);
        }

        @Override
        public void advanceTo(long epoch) {
            store.advanceTo(epoch);
        }

        @Override
        public long epoch() {
            return store.epoch();
        }

        @Override
        public LocalCheckpoint checkpoint() {
            return store.checkpoint();
        }

        @Override
        public long sizeBytes() {
            return store.sizeBytes();
        }

        @Override
        public void close() {
            store.close();
        }

        @Override
        public void closeDirty() {
            store.closeDirty();
        }
    }
}
