package dev.weir.state;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A task's committed state on the local disk. {@link #get}, {@link #getAll} and {@link #scan} may run on some threads while {@link #apply} and
 * {@link #checkpoint} run on another; {@link #close} waits for all of them.
 */
public interface TaskStore extends AutoCloseable {

    /** The value of a storage key, or null; the array belongs to the caller. */
    byte @Nullable [] get(byte[] key);

    /** The values of storage keys that belong to states, in their order, null where there is none; cheapest for ascending keys. */
    List<byte @Nullable []> getAll(List<byte[]> keys);

    /** Hands over entries whose key begins with the prefix, in ascending order of unsigned bytes, until {@code each} says false. */
    void scan(byte[] prefix, BiPredicate<byte[], byte[]> each);

    /** Applies the changes of an epoch and its number in one atomic write. Epochs are applied in ascending order. */
    void apply(Changes changes);

    /** Notes that the state is that of this epoch too, though nothing changed; cheap, need not survive a crash. */
    void advanceTo(long epoch);

    /** The epoch whose state this is; 0 for an empty store. */
    long epoch();

    /** Takes a consistent copy (hard links) of exactly {@link #epoch()}; to be called between two applied epochs by the thread that applies. */
    LocalCheckpoint checkpoint();

    /** Approximate bytes on disk. */
    long sizeBytes();

    /** Closes for good after the state is flushed, so that it can be opened again at {@link #epoch()}. Idempotent. */
    @Override
    void close();

    /** Closes without flushing; what is on the disk is not to be opened again as it is. Idempotent. */
    void closeDirty();

    /** A consistent copy of a task's files. */
    interface LocalCheckpoint extends AutoCloseable {

        /** The epoch that it is of. */
        long epoch();

        /** Its files. */
        List<LocalFile> files();

        /** Says which content each file has (by SHA-256, in the order of {@link #files()}), so that a restore on this disk can use them. */
        void retain(List<String> sha256);

        /** Deletes it unless it is retained. */
        @Override
        void close();
    }

    /** A file of a local checkpoint. A file whose name is {@code immutable} never has other content during the life of the store. */
    interface LocalFile {

        String name();

        long sizeBytes();

        boolean immutable();

        InputStream open() throws IOException;

        /** Where it is on the disk, readable until the checkpoint is closed; empty if it is not a file. Large files must have one. */
        default Optional<Path> path() {
            return Optional.empty();
        }
    }
}
