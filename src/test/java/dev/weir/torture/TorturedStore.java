package dev.weir.torture;

import dev.weir.fixture.ForwardingStore;
import dev.weir.snapshot.BaseUploader;
import dev.weir.snapshot.ObjectStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** An object store at which a worker dies where it was told to. */
final class TorturedStore extends ForwardingStore {

    private final Orders orders;

    TorturedStore(ObjectStore real, Orders orders) {
        super(real);
        this.orders = orders;
    }

    @Override
    public void put(String name, byte[] content) {
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
    public InputStream open(String name, long offset, long length) throws IOException {
        orders.pass(Point.RESTORE);
        return real.open(name, offset, length);
    }
}
