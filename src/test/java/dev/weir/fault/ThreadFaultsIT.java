package dev.weir.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fault.Service.Part;
import dev.weir.state.StateBackend;
import dev.weir.state.TaskStore;
import dev.weir.topology.TaskId;
import dev.weir.worker.WorkerSettings.Departure;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Tasks that move between the threads of one process, which share a disk. */
class ThreadFaultsIT {

    /** Stands still, once it is armed, with the first task's store that comes along; counts who wants to open it meanwhile. */
    private static final class Stuck {

        final AtomicBoolean armed = new AtomicBoolean();
        final AtomicReference<@Nullable TaskId> task = new AtomicReference<>();
        final AtomicInteger refused = new AtomicInteger();
        final Barrier barrier = new Barrier();

        void here(TaskId passing) {
            if (armed.get() && task.compareAndSet(null, passing)) {
                barrier.pass();
            }
        }

        boolean isAt(TaskId asked) {
            return asked.equals(task.get());
        }
    }

    /** Counts openings that are refused. */
    private static class Counting extends ForwardingBackend {

        final Stuck stuck;

        Counting(StateBackend real, Stuck stuck) {
            super(real);
            this.stuck = stuck;
        }

        @Override
        public @Nullable TaskStore openClean(TaskId task, long epoch, String fingerprint) {
            try {
                return super.openClean(task, epoch, fingerprint);
            } catch (RuntimeException e) {
                if (stuck.isAt(task)) {
                    stuck.refused.incrementAndGet();
                }
                throw e;
            }
        }
    }

    private static Rig twoThreads() {
        return Rig.create(setup -> {
            setup.concurrency = 2;
            setup.departure = Departure.LEAVE_GROUP;
        });
    }

    /** Starts with its second thread held, so that the first one owns all tasks. */
    private static void runFirstThread(Service service) {
        service.open();
        service.release(Part.FEED);
        service.release(Part.COORDINATOR);
        service.release(Part.WORKERS, 0);
    }

    private static int running(Service service, int thread) {
        return (int) service.status().get(thread).tasks().stream()
                .filter(task -> service.running().contains(task.partition()))
                .count();
    }

    @Test
    @DisplayName(
            "handover-within-process (R36, I11): the next thread waits for as long as the last one closes the store")
    void handoverWithinProcess() throws Exception {
        var stuck = new Stuck();
        try (var rig = twoThreads()) {
            var a = rig.service("a").withBackend(real -> new Counting(real, stuck) {
                @Override
                public void closeClean(TaskId task, TaskStore store, String fingerprint) {
                    stuck.here(task);
                    super.closeClean(task, store, fingerprint);
                }
            });
            runFirstThread(a);
            rig.produce(100);
            rig.await("the first thread has both tasks", () -> running(a, 0) == 2);
            rig.awaitCaughtUp();

            stuck.armed.set(true);
            a.release(Part.WORKERS, 1);
            rig.await("the next owner comes before the store is closed", () -> stuck.refused.get() > 0);
            assertThat(running(a, 0)).as("the other task goes on").isEqualTo(1);
            stuck.barrier.open();
            rig.await("each thread has a task", () -> running(a, 0) == 1 && running(a, 1) == 1);
            rig.produce(100);
            rig.finish();
        }
    }

    @Test
    @DisplayName("restore-outlives-its-thread (R36): a restore that ends too late for its thread leaves no store open")
    void restoreOutlivesItsThread() throws Exception {
        var stuck = new Stuck();
        try (var rig = twoThreads()) {
            var a = rig.service("a").withBackend(real -> new Counting(real, stuck) {
                @Override
                public @Nullable TaskStore openClean(TaskId task, long epoch, String fingerprint) {
                    var opened = super.openClean(task, epoch, fingerprint);
                    if (opened != null) {
                        stuck.here(task);
                    }
                    return opened;
                }
            });
            a.run();
            rig.produce(100);
            rig.finish();
            a.stop();

            stuck.armed.set(true);
            runFirstThread(a);
            rig.await("a restore hangs", stuck.barrier::isReached);
            endFirstThread(rig, a, stuck);
        }
    }

    @Test
    @DisplayName("close-outlives-its-thread (R36): a store whose close waits too long for its thread is not left open")
    void closeOutlivesItsThread() throws Exception {
        var stuck = new Stuck();
        try (var rig = twoThreads()) {
            var a = rig.service("a").withBackend(real -> new Counting(real, stuck) {
                @Override
                void beforeApply(TaskId task) {
                    stuck.here(task);
                }
            });
            runFirstThread(a);
            rig.produce(100);
            rig.await("the first thread has both tasks", () -> running(a, 0) == 2);
            rig.awaitCaughtUp();

            stuck.armed.set(true);
            rig.produce(100);
            rig.await("a write to the disk hangs", stuck.barrier::isReached);
            endFirstThread(rig, a, stuck);
        }
    }

    /** Has the first thread end, and lets go on what hangs in it when the second one has come in vain. */
    private static void endFirstThread(Rig rig, Service service, Stuck stuck) {
        var first = service.workers().get(0);
        first.stop();
        service.release(Part.WORKERS, 1);
        rig.await("the next owner comes before the store is closed", () -> stuck.refused.get() > 0);
        assertThat(first.isDone())
                .as("the last owner's thread still waits for what hangs")
                .isFalse();
        stuck.barrier.open();
        rig.await("the second thread has both tasks", () -> running(service, 1) == 2);
        rig.produce(100);
        rig.finish();
    }
}
