package dev.weir.testkit;

import dev.weir.failure.TransientException;
import dev.weir.snapshot.ObjectStore;
import dev.weir.testkit.FaultPlan.Fault;
import dev.weir.testkit.InMemoryKafkaCluster.Hazards;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Collection;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One process's view of a store: requests fail before or after they had their effect, and end with the process. */
final class SimulatedObjectStore implements ObjectStore {

    private final ObjectStore shared;
    private final Hazards hazards;

    SimulatedObjectStore(ObjectStore shared, Hazards hazards) {
        this.shared = shared;
        this.hazards = hazards;
    }

    @Override
    public void put(String name, byte[] content) {
        before("put " + name);
        shared.put(name, content);
        after("put " + name);
    }

    @Override
    public void put(String name, Path file) {
        before("put " + name);
        shared.put(name, file);
        after("put " + name);
    }

    @Override
    public boolean createIfAbsent(String name, byte[] content) {
        return call("create " + name, () -> shared.createIfAbsent(name, content));
    }

    @Override
    public byte[] get(String name) {
        return call("get " + name, () -> shared.get(name));
    }

    @Override
    public InputStream open(String name, long offset, long length) throws IOException {
        before("open " + name);
        return shared.open(name, offset, length);
    }

    @Override
    public boolean exists(String name) {
        return call("look up " + name, () -> shared.exists(name));
    }

    @Override
    public void list(String prefix, Consumer<Listed> each) {
        before("list " + prefix);
        shared.list(prefix, each);
    }

    @Override
    public void delete(Collection<String> names) {
        before("delete objects");
        shared.delete(names);
        after("delete objects");
    }

    @Override
    public void probe() {
        before("probe");
        shared.probe();
    }

    @Override
    public String describe() {
        return shared.describe();
    }

    /** The store is shared and stays open. */
    @Override
    public void close() {}

    private <T> T call(String what, Supplier<T> request) {
        before(what);
        T answer = request.get();
        after(what);
        return answer;
    }

    private void before(String what) {
        hazards.reach("store request");
        if (hazards.happens(Fault.STORE_FAILS_BEFORE)) {
            throw new TransientException("Cannot " + what + ": the store answered 503, try again");
        }
    }

    private void after(String what) {
        hazards.reach("store answer");
        if (hazards.happens(Fault.STORE_FAILS_AFTER)) {
            throw new TransientException("Cannot " + what + ": the store did not answer in time, try again");
        }
    }
}
