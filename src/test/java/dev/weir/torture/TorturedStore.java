package dev.weir.torture;

import dev.weir.fault.ForwardingStore;
import dev.weir.snapshot.BaseUploader;
import dev.weir.snapshot.ObjectStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.function.Consumer;

/** An object store at which a worker suffers what it was told to. */
final class TorturedStore extends ForwardingStore {

    private final Orders orders;

    TorturedStore(ObjectStore real, Orders orders) {
        super(real);
        this.orders = orders;
    }

    @Override
    public void put(String name, byte[] content) {
        orders.request("write " + name);
        if (name.contains("/manifests/")) {
            orders.pass(Point.BEFORE_MANIFEST);
            real.put(name, content);
            orders.pass(Point.AFTER_MANIFEST);
        } else {
            dieHalfway(isOfBase() ? Point.BASE_UPLOAD : Point.DELTA_UPLOAD, name, content);
            real.put(name, content);
        }
    }

    @Override
    public void put(String name, Path file) {
        orders.request("write " + name);
        try {
            dieHalfway(Point.BASE_UPLOAD, name, Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        real.put(name, file);
    }

    private void dieHalfway(Point point, String name, byte[] content) {
        if (name.contains("/objects/") && orders.isDue(point)) {
            real.put(name, Arrays.copyOf(content, content.length / 2));
            orders.die(point);
        }
    }

    private static boolean isOfBase() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(BaseUploader.class.getName())));
    }

    @Override
    public boolean createIfAbsent(String name, byte[] content) {
        orders.request("create " + name);
        return real.createIfAbsent(name, content);
    }

    @Override
    public byte[] get(String name) {
        orders.request("read " + name);
        return orders.read(real.get(name));
    }

    @Override
    public InputStream open(String name, long offset, long length) throws IOException {
        orders.request("read " + name);
        orders.pass(Point.RESTORE);
        try (var stream = real.open(name, offset, length)) {
            return new ByteArrayInputStream(orders.read(stream.readAllBytes()));
        }
    }

    @Override
    public boolean exists(String name) {
        orders.request("find " + name);
        return real.exists(name);
    }

    @Override
    public void list(String prefix, Consumer<Listed> each) {
        orders.request("list " + prefix);
        real.list(prefix, each);
    }

    @Override
    public void delete(Collection<String> names) {
        orders.request("delete objects");
        real.delete(names);
    }

    @Override
    public void probe() {
        orders.request("probe");
        real.probe();
    }
}
