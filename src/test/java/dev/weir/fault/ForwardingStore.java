package dev.weir.fault;

import dev.weir.snapshot.ObjectStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.function.Consumer;

/** Passes everything on; faults override what they are about. */
public class ForwardingStore implements ObjectStore {

    protected final ObjectStore real;

    /** Around the real one. */
    public ForwardingStore(ObjectStore real) {
        this.real = real;
    }

    @Override
    public void put(String name, byte[] content) {
        real.put(name, content);
    }

    @Override
    public void put(String name, Path file) {
        real.put(name, file);
    }

    @Override
    public boolean createIfAbsent(String name, byte[] content) {
        return real.createIfAbsent(name, content);
    }

    @Override
    public byte[] get(String name) {
        return real.get(name);
    }

    @Override
    public InputStream open(String name, long offset, long length) throws IOException {
        return real.open(name, offset, length);
    }

    @Override
    public boolean exists(String name) {
        return real.exists(name);
    }

    @Override
    public void list(String prefix, Consumer<Listed> each) {
        real.list(prefix, each);
    }

    @Override
    public void delete(Collection<String> names) {
        real.delete(names);
    }

    @Override
    public void discardUnfinished(Instant begunBefore) {
        real.discardUnfinished(begunBefore);
    }

    @Override
    public void probe() {
        real.probe();
    }

    @Override
    public String describe() {
        return real.describe();
    }

    @Override
    public void close() {
        real.close();
    }
}
