package dev.weir.time;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Work beside an owner's thread, and the owner's mailbox. Work runs on lanes: one piece at a time and in order within a lane, lanes
 * beside each other. What comes of it, and what others {@link #post}, runs on the owner's thread when the owner asks for it with
 * {@link #deliver} or {@link #await}; nothing else of this ever touches the owner's state.
 */
public interface Background extends AutoCloseable {

    /** A piece of work; may ask whether it is still wanted. */
    @FunctionalInterface
    interface Work<T> {
        T run(Cancellation cancellation) throws Exception;
    }

    /** Whether a piece of work has been cancelled. */
    @FunctionalInterface
    interface Cancellation {
        boolean requested();
    }

    /** A piece of work that was submitted. */
    interface Job {
        /** Asks the work to end soon and drops its outcome: neither callback is called any more. */
        void cancel();
    }

    /**
     * Submits work.
     *
     * @param lane the lane that it waits in
     * @param work runs on another thread
     * @param done gets the work's result, on the owner's thread
     * @param failed gets what the work threw, on the owner's thread
     */
    <T> Job submit(String lane, Work<T> work, Consumer<T> done, Consumer<Throwable> failed);

    /** Has something run on the owner's thread at its next delivery. Safe from any thread. */
    void post(Runnable event);

    /** Runs all that has arrived; on the owner's thread. */
    int deliver();

    /** Waits until something arrives, at most for the given time, and runs all that has arrived; on the owner's thread. */
    int await(Duration atMost);

    /** Cancels what has not finished and waits for what is running. */
    @Override
    void close();
}
