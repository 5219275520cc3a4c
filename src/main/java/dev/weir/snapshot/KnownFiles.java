package dev.weir.snapshot;

import dev.weir.snapshot.Manifest.Base;
import dev.weir.snapshot.Manifest.BaseFile;
import dev.weir.snapshot.Manifest.Range;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What one open store's files hold: by name, where in the object store the same content is. Made anew whenever the task's store is
 * opened, because only the life of one open store gives a file name one content. Safe for use by several threads.
 */
public final class KnownFiles {

    private final Map<String, Known> byName = new ConcurrentHashMap<>();

    /** A file's content in the object store; {@code uploadedNanos} is null if the store was opened with it. */
    record Known(Range content, @Nullable Long uploadedNanos) {}

    /** Of a store that was opened empty. */
    public static KnownFiles none() {
        return new KnownFiles();
    }

    /** Of a store that was opened on a base's files, or closed cleanly since. */
    public static KnownFiles of(@Nullable Base base) {
        var known = new KnownFiles();
        if (base != null) {
            for (BaseFile file : base.files()) {
                known.byName.put(file.name(), new Known(file.content(), null));
            }
        }
        return known;
    }

    @Nullable
    Known find(String name) {
        return byName.get(name);
    }

    void add(String name, Range content, long uploadedNanos) {
        byName.put(name, new Known(content, uploadedNanos));
    }

    /** Forgets files that the store no longer has. */
    void keep(Set<String> names) {
        byName.keySet().retainAll(names);
    }
}
