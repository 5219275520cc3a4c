package dev.weir.time;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Background work on threads of its own: as many as there are lanes with something to do. */
public final class ThreadedBackground implements Background {

    private final ExecutorService executor;
    private final LinkedBlockingQueue<Runnable> mailbox = new LinkedBlockingQueue<>();
    private final Map<String, Queue<Piece<?>>> lanes = new HashMap<>();
    private final Set<Piece<?>> open = new HashSet<>();
    private boolean closed;

    /** With threads of this name and a number. */
    public ThreadedBackground(String name) {
        var number = new AtomicInteger();
        this.executor = Executors.newCachedThreadPool(runnable -> {
            var thread = new Thread(runnable, name + "-background-" + number.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public <T> Job submit(String lane, Work<T> work, Consumer<T> done, Consumer<Throwable> failed) {
        var piece = new Piece<>(lane, work, done, failed);
        synchronized (lanes) {
            if (closed) {
                return piece;
            }
            open.add(piece);
            var waiting = lanes.get(lane);
            if (waiting != null) {
                waiting.add(piece);
                return piece;
            }
            lanes.put(lane, new ArrayDeque<>());
            executor.execute(piece);
        }
        return piece;
    }

    @Override
    public void post(Runnable event) {
        mailbox.add(event);
    }

    @Override
    public int deliver() {
        int delivered = 0;
        for (var event = mailbox.poll(); event != null; event = mailbox.poll()) {
            event.run();
            delivered++;
        }
        return delivered;
    }

    @Override
    public int await(Duration atMost) {
        try {
            var event = mailbox.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
            if (event == null) {
                return 0;
            }
            event.run();
            return 1 + deliver();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    @Override
    public void close() {
        synchronized (lanes) {
            closed = true;
            open.forEach(Piece::cancel);
            lanes.values().forEach(Queue::clear);
        }
        executor.shutdown();
        try {
            if (!executor.awaitTermination(10, TimeUnit.SECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException e) {
            executor.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    private void next(Piece<?> ended) {
        synchronized (lanes) {
            open.remove(ended);
            var waiting = lanes.get(ended.lane);
            var following = waiting == null ? null : waiting.poll();
            if (following == null) {
                lanes.remove(ended.lane);
            } else {
                executor.execute(following);
            }
        }
    }

    private final class Piece<T> implements Job, Runnable {

        private final String lane;
        private final Work<T> work;
        private final Consumer<T> done;
        private final Consumer<Throwable> failed;
        private volatile boolean cancelled;

        private Piece(String lane, Work<T> work, Consumer<T> done, Consumer<Throwable> failed) {
            this.lane = lane;
            this.work = work;
            this.done = done;
            this.failed = failed;
        }

        @Override
        public void run() {
            try {
                if (!cancelled) {
                    T result = work.run(() -> cancelled);
                    hand(() -> done.accept(result));
                }
            } catch (Throwable e) {
                hand(() -> failed.accept(e));
            } finally {
                next(this);
            }
        }

        /** Whether it was cancelled is asked on the owner's thread, so that nothing arrives after a cancel there. */
        private void hand(Runnable outcome) {
            mailbox.add(() -> {
                if (!cancelled) {
                    outcome.run();
                }
            });
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }
}
