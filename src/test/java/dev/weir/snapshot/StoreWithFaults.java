package dev.weir.snapshot;

import dev.weir.failure.TransientException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** A store in memory that notes its writes and reads, and fails where it is told to. */
final class StoreWithFaults implements ObjectStore {

    private final InMemoryObjectStore store = new InMemoryObjectStore(new Snapshots.HandClock());
    private final List<String> puts = Collections.synchronizedList(new ArrayList<>());
    private final List<String> opens = Collections.synchronizedList(new ArrayList<>());
    private volatile Predicate<String> failing = name -> false;
    private volatile Runnable beforeEach = () -> {};

    List<String> puts() {
        return List.copyOf(puts);
    }

    List<String> opens() {
        return List.copyOf(opens);
    }

    void failOn(Predicate<String> names) {
        failing = names;
    }

    void beforeEach(Runnable action) {
        beforeEach = action;
    }

    private void enter(String name) {
        beforeEach.run();
        if (failing.test(name)) {
            throw new TransientException("Cannot reach the store: it is told to fail; try again");
        }
    }

    @Override
    public void put(String name, byte[] content) {
        enter(name);
        store.put(name, content);
        puts.add(name);
    }

    @Override
    public void put(String name, Path file) {
        enter(name);
        store.put(name, file);
        puts.add(name);
    }

    @Override
    public boolean createIfAbsent(String name, byte[] content) {
        enter(name);
        return store.createIfAbsent(name, content);
    }

    @Override
    public byte[] get(String name) {
        enter(name);
        return store.get(name);
    }

    @Override
    public InputStream open(String name, long offset, long length) throws IOException {
        enter(name);
        opens.add(name);
        return store.open(name, offset, length);
    }

    @Override
    public boolean exists(String name) {
        return store.exists(name);
    }

    @Override
    public void list(String prefix, Consumer<Listed> each) {
        store.list(prefix, each);
    }

    @Override
    public void delete(Collection<String> names) {
        store.delete(names);
    }

    @Override
    public void probe() {
        store.probe();
    }

    @Override
    public String describe() {
        return "memory with faults";
    }

    @Override
    public void close() {}
}
