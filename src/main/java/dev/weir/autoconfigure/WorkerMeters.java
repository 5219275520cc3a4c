package dev.weir.autoconfigure;

import dev.weir.metrics.ProcessorMeters;
import dev.weir.metrics.WeirMeters;
import dev.weir.metrics.WeirMeters.Registration;
import dev.weir.topology.TaskId;
import dev.weir.worker.WorkerListener;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/** Records what worker threads tell. */
final class WorkerMeters implements WorkerListener {

    private final WeirMeters meters;
    private final ConcurrentMap<TaskId, Lag> lags = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Slot> slots = new ConcurrentHashMap<>();

    WorkerMeters(WeirMeters meters) {
        this.meters = meters;
    }

    private record Lag(AtomicLong records, Registration registration) {}

    private record Slot(AtomicLong overlayBytes, AtomicLong openEpochs) {}

    private ProcessorMeters of(String processor) {
        return meters.processor(processor);
    }

    @Override
    public void onRecords(String processor, int records) {
        of(processor).processed(records);
    }

    @Override
    public void onRecordFailed(String processor) {
        of(processor).failed(1);
    }

    @Override
    public void onLag(TaskId task, long records) {
        lags.computeIfAbsent(task, key -> {
                    var lag = new AtomicLong();
                    return new Lag(lag, of(key.processor()).lag(key.partition(), lag::get));
                })
                .records()
                .set(records);
    }

    @Override
    public void onTaskGone(TaskId task) {
        Lag lag = lags.remove(task);
        if (lag != null) {
            lag.registration().close();
        }
    }

    @Override
    public void onEpochEnded(String processor, long openNanos) {
        of(processor).epochEnded(Duration.ofNanos(openNanos));
    }

    @Override
    public void onAligned(String processor, long alignmentNanos) {
        of(processor).aligned(Duration.ofNanos(alignmentNanos));
    }

    @Override
    public void onSecured(String processor, long bytes, long nanos) {
        of(processor).deltaStored(bytes, Duration.ofNanos(nanos));
    }

    @Override
    public void onCommitted(String processor, long nanos) {
        of(processor).committed(Duration.ofNanos(nanos));
    }

    @Override
    public void onBase(String processor, long uploadedBytes, long nanos) {
        of(processor).baseStored(uploadedBytes, Duration.ofNanos(nanos));
    }

    @Override
    public void onRestored(String processor, long downloadedBytes, long nanos) {
        of(processor).restored(downloadedBytes, Duration.ofNanos(nanos));
    }

    @Override
    public void onRolledBack(String processor) {
        of(processor).rolledBack();
    }

    @Override
    public void onOpen(String slot, String processor, long overlayBytes, int openEpochs) {
        Slot known = slots.computeIfAbsent(slot, key -> {
            var fresh = new Slot(new AtomicLong(), new AtomicLong());
            of(processor).overlayBytes(key, fresh.overlayBytes()::get);
            of(processor).openEpochs(key, fresh.openEpochs()::get);
            return fresh;
        });
        known.overlayBytes().set(overlayBytes);
        known.openEpochs().set(openEpochs);
    }
}
