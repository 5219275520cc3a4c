package dev.weir.snapshot;

import dev.weir.failure.ConfigurationException;
import dev.weir.time.Tokens;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What {@link ObjectStore#probe()} does, in terms of the other methods: writes a small object, sees that a second writer of the
 * same name is refused, reads it back, lists it and deletes it.
 */
public final class StoreProbe {

    /** Where probe objects stand; a crash may leave one. */
    public static final String PREFIX = "probe/";

    private StoreProbe() {}

    /**
     * Probes a store.
     *
     * @throws ConfigurationException if the store does what it is told but not what it must
     */
    public static void run(ObjectStore store, Tokens tokens) {
        var name = PREFIX + tokens.next();
        var first = tokens.next().getBytes(StandardCharsets.US_ASCII);
        var second = tokens.next().getBytes(StandardCharsets.US_ASCII);
        try {
            check(store, name, first, second);
        } catch (RuntimeException e) {
            try {
                store.delete(List.of(name));
            } catch (RuntimeException again) {
                e.addSuppressed(again);
            }
            throw e;
        }
        store.delete(List.of(name));
    }

    private static void check(ObjectStore store, String name, byte[] first, byte[] second) {
        if (!store.createIfAbsent(name, first) || store.createIfAbsent(name, second)) {
            throw new ConfigurationException("Cannot use " + store.describe()
                    + ": it lets a second writer replace an object that must be created only once;"
                    + " use a store that refuses a conditional write (for S3, If-None-Match: *) of a taken name");
        }
        var listed = new ArrayList<String>();
        store.list(name, object -> listed.add(object.name()));
        if (!Arrays.equals(store.get(name), first) || !listed.equals(List.of(name))) {
            throw new ConfigurationException("Cannot use " + store.describe()
                    + ": it does not return or list what was written a moment ago;"
                    + " use a store that reads and lists its own writes");
        }
    }
}
