package dev.weir.state;

import dev.weir.topology.TaskId;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes and opens the stores of tasks on this worker's disk. Safe for use by several threads; one store at a time for a task: opening
 * another throws a {@link dev.weir.failure.TransientException}, since a task may come from a thread that is still closing it.
 */
public interface StateBackend extends AutoCloseable {

    /** Opens an empty store, whatever was there before. */
    TaskStore openEmpty(TaskId task);

    /**
     * Opens what is on the disk if it was closed cleanly at exactly this state.
     *
     * @param fingerprint identifies the committed state (the pointer that it was closed at)
     * @return null if there is no such thing
     */
    @Nullable
    TaskStore openClean(TaskId task, long epoch, String fingerprint);

    /** Closes a store that holds a committed state, after a flush, so that {@link #openClean} can find it. */
    void closeClean(TaskId task, TaskStore store, String fingerprint);

    /** Begins to put a base's files together. */
    Assembly assemble(TaskId task);

    /** Partition numbers of the processor's tasks of which files are on this disk. */
    Set<Integer> tasksOnDisk(String processor);

    @Override
    void close();

    /** Files being put together for a task; what was there before is kept until {@link #open}. */
    interface Assembly extends AutoCloseable {

        /** Takes a file of this content (SHA-256, hex) from the local disk, without a copy where possible; false if there is none. */
        boolean reuse(String name, long sizeBytes, String sha256);

        /** Writes a file; the caller verifies what it writes and closes the stream. Files of one assembly may be written by several threads. */
        OutputStream create(String name) throws IOException;

        /** Opens the store on the files, which are a base of exactly this epoch. */
        TaskStore open(long epoch);

        /** Drops the files if they were not opened. */
        @Override
        void close();
    }
}
