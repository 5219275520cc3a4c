package dev.weir.snapshot;

import dev.weir.time.Background.Cancellation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * How many uploads or downloads one caller runs beside each other. The calling thread takes part, so a busy or closed executor only
 * makes it slower.
 */
public final class Transfers {

    private final @Nullable Executor executor;
    private final int atOnce;

    private Transfers(@Nullable Executor executor, int atOnce) {
        this.executor = executor;
        this.atOnce = atOnce;
    }

    /** One after the other, on the calling thread. */
    public static Transfers sequential() {
        return new Transfers(null, 1);
    }

    /** At most so many at once, the calling thread's included; the others on the executor's threads. */
    public static Transfers parallel(Executor executor, int atOnce) {
        if (atOnce < 1) {
            throw new IllegalArgumentException("Cannot run " + atOnce + " transfers at once: use 1 or more");
        }
        return new Transfers(executor, atOnce);
    }

    /** How many run at once. */
    int atOnce() {
        return atOnce;
    }

    /** One transfer. */
    @FunctionalInterface
    interface Transfer<T> {
        void run(T item) throws IOException;
    }

    /**
     * Runs a transfer for each item. Returns, or throws the first failure, when none is running any more; after a failure or a
     * cancellation no further one begins.
     *
     * @throws CancellationException if the cancellation was requested
     */
    <T> void forEach(List<T> items, Cancellation cancellation, Transfer<T> transfer) {
        var run = new Run<>(items, cancellation, transfer);
        if (executor != null) {
            for (int i = 1; i < Math.min(atOnce, items.size()); i++) {
                try {
                    executor.execute(run);
                } catch (RejectedExecutionException busy) {
                    break;
                }
            }
        }
        run.run();
        run.end();
    }

    static void check(Cancellation cancellation) {
        if (cancellation.requested()) {
            throw new CancellationException("no longer wanted");
        }
    }

    private static final class Run<T> implements Runnable {

        private final List<T> items;
        private final Cancellation cancellation;
        private final Transfer<T> transfer;
        private int next;
        private int running;
        private @Nullable Throwable failure;

        Run(List<T> items, Cancellation cancellation, Transfer<T> transfer) {
            this.items = items;
            this.cancellation = cancellation;
            this.transfer = transfer;
        }

        @Override
        public void run() {
            for (int item = begin(); item >= 0; item = begin()) {
                Throwable thrown = null;
                try {
                    check(cancellation);
                    transfer.run(items.get(item));
                } catch (IOException e) {
                    thrown = new UncheckedIOException(e);
                } catch (RuntimeException | Error e) {
                    thrown = e;
                }
                finish(thrown);
            }
        }

        private synchronized int begin() {
            if (failure != null || next == items.size()) {
                return -1;
            }
            running++;
            return next++;
        }

        private synchronized void finish(@Nullable Throwable thrown) {
            running--;
            if (failure == null) {
                failure = thrown;
            }
            notifyAll();
        }

        /** Waits for those that run on other threads, even if interrupted: they write into what the caller is about to close. */
        synchronized void end() {
            boolean interrupted = false;
            while (running > 0) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                    failure = failure == null ? new CancellationException("interrupted") : failure;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (failure instanceof Error error) {
                throw error;
            } else if (failure instanceof RuntimeException exception) {
                throw exception;
            }
        }
    }
}
