package dev.weir.snapshot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.function.Consumer;

/**
 * The few things that are asked of a store of immutable objects. Names are relative to the store's root, of the alphabet
 * {@code [a-z0-9A-Z._=/-]}, without empty, {@code .} or {@code ..} parts. An object's name is never written twice, except that
 * several writers may race to create it with {@link #createIfAbsent}.
 *
 * <p>All methods block, may be called from any thread, and throw
 *
 * <ul>
 *   <li>{@link dev.weir.failure.TransientException} when the store does not answer, is overloaded or answers 5xx;
 *   <li>{@link dev.weir.failure.ConfigurationException} when it refuses for good: no such bucket, no permission, wrong region;
 *   <li>{@link dev.weir.failure.CorruptionException} when an object that is asked for is missing or shorter than the range asked for;
 *   <li>{@link IllegalArgumentException} for a name outside the alphabet.
 * </ul>
 */
public interface ObjectStore extends AutoCloseable {

    /** Writes an object of a name that no one else writes. When it returns the object is durable and readable by all. */
    void put(String name, byte[] content);

    /** Writes a local file as an object; streams it, in several parts when it is large. */
    void put(String name, Path file);

    /**
     * Creates the object unless its name is taken. Exactly one of several concurrent callers is told {@code true}, even where a
     * retry inside the client makes the answer ambiguous (the implementation then reads back what is there, so {@code content}
     * must be different for each caller).
     *
     * @return whether this call's content is what is stored now
     */
    boolean createIfAbsent(String name, byte[] content);

    /** The whole object. */
    byte[] get(String name);

    /** Bytes {@code offset} (from 0) to {@code offset + length} of the object as a stream that the caller closes. */
    InputStream open(String name, long offset, long length) throws IOException;

    /** Whether the object exists. */
    boolean exists(String name);

    /** All objects whose name begins with the prefix, in ascending order of names, handed over one by one while the listing goes on. */
    void list(String prefix, Consumer<Listed> each);

    /** Deletes objects; absent ones are ignored. */
    void delete(Collection<String> names);

    /**
     * Removes what writes that never finished have left behind, such as parts of large uploads, if they began before the given
     * time by the store's clock. Choose a time longer ago than any upload takes. A store that keeps no such remains does nothing.
     */
    default void discardUnfinished(Instant begunBefore) {}

    /** Checks once that the store can be reached and written to, by writing, reading and deleting a small probe object. */
    void probe();

    /** What the store is, for messages: {@code s3://bucket/prefix} or a folder; without credentials. */
    String describe();

    @Override
    void close();

    /** One object of a listing. {@code modified} is by the store's clock. */
    record Listed(String name, long sizeBytes, Instant modified) {}
}
