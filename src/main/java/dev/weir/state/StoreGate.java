package dev.weir.state;

import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Lets calls into something until it is closed. Closing waits for those inside, so that nothing native is used after it is freed. */
public final class StoreGate {

    private final String what;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private boolean closed;

    /** A gate of something named like "the store of task a/1". */
    public StoreGate(String what) {
        this.what = what;
    }

    /** Each return is followed by {@link #exit()} on the same thread; may be nested. */
    public void enter() {
        lock.readLock().lock();
        if (closed) {
            lock.readLock().unlock();
            throw new IllegalStateException("Cannot use " + what + ": it is closed");
        }
    }

    /** Leaves. */
    public void exit() {
        lock.readLock().unlock();
    }

    /** Runs the last action once nobody is inside; false if it was closed before. */
    public boolean close(Runnable last) {
        if (lock.getReadHoldCount() > 0) {
            throw new IllegalStateException("Cannot close " + what + ": this thread is still using it");
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
