package dev.weir.snapshot;

import dev.weir.time.Clock;
import dev.weir.time.Tokens;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A store in the memory of the process, for tests and simulations: the same calls in the same order give the same answers. */
public final class InMemoryObjectStore implements ObjectStore {

    private record Stored(byte[] content, Instant modified) {}

    private final Clock clock;
    private final Tokens tokens = Tokens.from(new AtomicLong()::incrementAndGet);
    private final TreeMap<String, Stored> objects = new TreeMap<>();

    /** An empty store. */
    public InMemoryObjectStore(Clock clock) {
        this.clock = clock;
    }

    @Override
    public void put(String name, byte[] content) {
        store(ObjectNames.require(name), content.clone());
    }

    @Override
    public void put(String name, Path file) {
        ObjectNames.require(name);
        try {
            store(name, Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + file + " to store it as " + name + ": " + e, e);
        }
    }

    @Override
    public synchronized boolean createIfAbsent(String name, byte[] content) {
        var present = objects.get(ObjectNames.require(name));
        if (present != null) {
            return Arrays.equals(present.content, content);
        }
        store(name, content.clone());
        return true;
    }

    @Override
    public byte[] get(String name) {
        return content(name).clone();
    }

    @Override
    public InputStream open(String name, long offset, long length) {
        var range = new ObjectRange(offset, length);
        var content = content(name);
        range.requireWithin(name, describe(), content.length);
        return new ByteArrayInputStream(content, (int) offset, (int) length);
    }

    @Override
    public boolean exists(String name) {
        return find(ObjectNames.require(name)) != null;
    }

    @Override
    public void list(String prefix, Consumer<Listed> each) {
        ObjectNames.requirePrefix(prefix);
        var listed = first(prefix);
        while (listed != null && listed.name().startsWith(prefix)) {
            each.accept(listed);
            listed = after(listed.name());
        }
    }

    @Override
    public synchronized void delete(Collection<String> names) {
        names.forEach(ObjectNames::require);
        names.forEach(objects::remove);
    }

    @Override
    public void probe() {
        StoreProbe.run(this, tokens);
    }

    @Override
    public String describe() {
        return "memory";
    }

    @Override
    public void close() {}

    private synchronized void store(String name, byte[] content) {
        objects.put(name, new Stored(content, Instant.ofEpochMilli(clock.wallMillis())));
    }

    private byte[] content(String name) {
        var stored = find(ObjectNames.require(name));
        if (stored == null) {
            throw ObjectRange.missing(name, describe());
        }
        return stored.content;
    }

    private synchronized @Nullable Stored find(String name) {
        return objects.get(name);
    }

    private synchronized @Nullable Listed first(String prefix) {
        return listed(objects.ceilingKey(prefix));
    }

    private synchronized @Nullable Listed after(String name) {
        return listed(objects.higherKey(name));
    }

    private @Nullable Listed listed(@Nullable String name) {
        var stored = name == null ? null : objects.get(name);
        return name == null || stored == null ? null : new Listed(name, stored.content.length, stored.modified);
    }
}
