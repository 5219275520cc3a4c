package dev.weir.worker;

import dev.weir.status.ThreadStatus;
import dev.weir.time.Background;
import dev.weir.time.Pause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** All worker threads of one process, each on a thread of its own, and what feeds them from the control topic. */
public final class Worker implements AutoCloseable {

    private static final Duration FEED_POLL = Duration.ofMillis(100);
    private static final Duration FEED_BACK_OFF = Duration.ofSeconds(1);

    private final List<WorkerThread> threads = new ArrayList<>();
    private final List<Thread> running = new ArrayList<>();
    private final ControlFeed feed;
    private final Pause pause = Pause.real();
    private volatile boolean feeding = true;

    /**
     * Makes the threads of all processors; none runs yet.
     *
     * @param backgrounds makes the background of the thread of a name
     */
    public Worker(
            List<BoundProcessor> processors,
            WorkerSettings settings,
            WorkerResources resources,
            Function<String, Background> backgrounds) {
        for (var processor : processors) {
            for (int number = 0; number < settings.concurrency(); number++) {
                var name = "weir-" + processor.spec().name() + "-" + number;
                threads.add(new WorkerThread(processor, number, settings, resources, backgrounds.apply(name)));
            }
        }
        feed = new ControlFeed(resources.cluster(), threads, FEED_POLL);
    }

    /** Starts all threads. */
    public void start() {
        launch("weir-control-feed", () -> {
            while (feeding) {
                if (feed.step() == ControlFeed.Outcome.FAILED) {
                    pause.await(FEED_BACK_OFF);
                }
            }
            feed.close();
        });
        for (var thread : threads) {
            launch(thread.slot(), () -> {
                try {
                    while (!thread.isDone()) {
                        thread.step();
                    }
                } catch (Throwable e) {
                    thread.fail(e);
                    throw e;
                }
            });
        }
    }

    /** What the threads are doing; from any thread. */
    public List<ThreadStatus> status() {
        return threads.stream().map(WorkerThread::status).toList();
    }

    /** Has all threads commit, hand over and end, beside each other, and waits for them. */
    @Override
    public void close() {
        threads.forEach(WorkerThread::stop);
        boolean interrupted = false;
        for (int i = running.size() - 1; i >= 0; i--) {
            if (i == 0) {
                feeding = false;
            }
            interrupted |= join(running.get(i));
        }
        running.clear();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean join(Thread thread) {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    private void launch(String name, Runnable loop) {
        var thread = new Thread(loop, name);
        thread.setUncaughtExceptionHandler((failed, error) -> org.slf4j.LoggerFactory.getLogger(Worker.class)
                .atError()
                .setMessage("A thread ended by an error that nothing could handle; restart the process")
                .addKeyValue("thread", failed.getName())
                .setCause(error)
                .log());
        running.add(thread);
        thread.start();
    }
}
