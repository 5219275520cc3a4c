package dev.weir.state;

import dev.weir.topology.TaskId;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Lets calls into a store until it is closed. Closing waits for those inside, so that nothing native is used after it is freed. */
final class StoreGate {

    private final TaskId task;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private boolean closed;

    StoreGate(TaskId task) {
        this.task = task;
    }

    /** Each return is followed by {@link #exit()} on the same thread; may be nested. */
    void enter() {
        lock.readLock().lock();
        if (closed) {
            lock.readLock().unlock();
            throw new IllegalStateException("Cannot use the store of task " + task + ": it is closed");
        }
    }

    void exit() {
        lock.readLock().unlock();
    }

    /** Runs the last action once nobody is inside; false if it was closed before. */
    boolean close(Runnable last) {
        if (lock.getReadHoldCount() > 0) {
            throw new IllegalStateException(
                    "Cannot close the store of task " + task + ": this thread is inside a scan");
        }
        lock.writeLock().lock();
        try {
            if (closed) {
                return false;
            }
            closed = true;
            last.run();
            return true;
        } finally {
            lock.writeLock().unlock();
        }
    }
}
