package dev.weir.fault;

import dev.weir.worker.WorkerListener;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What the workers of a service have done since it was made, over all of its lives. */
final class Events implements WorkerListener {

    final AtomicInteger commits = new AtomicInteger();
    final AtomicInteger rollBacks = new AtomicInteger();
    final AtomicInteger restores = new AtomicInteger();
    final AtomicInteger bases = new AtomicInteger();
    final AtomicLong records = new AtomicLong();
    final AtomicLong restoredBytes = new AtomicLong();

    @Override
    public void onRecords(String processor, int processed) {
        records.addAndGet(processed);
    }

    @Override
    public void onCommitted(String processor, long nanos) {
        commits.incrementAndGet();
    }

    @Override
    public void onRolledBack(String processor) {
        rollBacks.incrementAndGet();
    }

    @Override
    public void onRestored(String processor, long downloadedBytes, long nanos) {
        restores.incrementAndGet();
        restoredBytes.addAndGet(downloadedBytes);
    }

    @Override
    public void onBase(String processor, long uploadedBytes, long nanos) {
        bases.incrementAndGet();
    }
}
