package dev.weir.metrics;

import dev.weir.metrics.CatalogueEntry.Tag;
import dev.weir.metrics.WeirMeters.Registration;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.function.LongSupplier;

/** The meters of one processor in this process. To be called per batch or epoch, not per record. */
public final class ProcessorMeters {

    private final WeirMeters meters;
    private final Tags tags;
    private final Counter processed;
    private final Counter failed;
    private final Counter rollbacks;
    private final Timer epoch;
    private final Timer commit;
    private final Timer alignment;
    private final Timer delta;
    private final DistributionSummary deltaSize;
    private final Timer base;
    private final DistributionSummary baseSize;
    private final Timer restore;
    private final DistributionSummary restoreSize;

    ProcessorMeters(WeirMeters meters, String processor) {
        this.meters = meters;
        this.tags = WeirMeters.processorTag(processor);
        this.processed = meters.counter(CatalogueEntry.RECORDS_PROCESSED, tags);
        this.failed = meters.counter(CatalogueEntry.RECORDS_FAILED, tags);
        this.rollbacks = meters.counter(CatalogueEntry.ROLLBACKS, tags);
        this.epoch = meters.timer(CatalogueEntry.EPOCH, tags);
        this.commit = meters.timer(CatalogueEntry.COMMIT, tags);
        this.alignment = meters.timer(CatalogueEntry.ALIGNMENT, tags);
        this.delta = meters.timer(CatalogueEntry.DELTA, tags);
        this.deltaSize = meters.summary(CatalogueEntry.DELTA_SIZE, tags);
        this.base = meters.timer(CatalogueEntry.BASE, tags);
        this.baseSize = meters.summary(CatalogueEntry.BASE_SIZE, tags);
        this.restore = meters.timer(CatalogueEntry.RESTORE, tags);
        this.restoreSize = meters.summary(CatalogueEntry.RESTORE_SIZE, tags);
    }

    /** Records were handled. */
    public void processed(long records) {
        processed.increment(records);
    }

    /** Records did not decode, or the processor threw at them. */
    public void failed(long records) {
        failed.increment(records);
    }

    /** An epoch ended, to be committed. */
    public void epochEnded(Duration sinceFirstRecord) {
        epoch.record(sinceFirstRecord);
    }

    /** A transaction was committed. */
    public void committed(Duration duration) {
        commit.record(duration);
    }

    /** A checkpoint was cut. */
    public void aligned(Duration sinceLearned) {
        alignment.record(sinceLearned);
    }

    /** An epoch's changes became durable. */
    public void deltaStored(long bytes, Duration duration) {
        deltaSize.record(bytes);
        delta.record(duration);
    }

    /** A base was uploaded. */
    public void baseStored(long uploadedBytes, Duration duration) {
        baseSize.record(uploadedBytes);
        base.record(duration);
    }

    /** A task's state was restored. */
    public void restored(long downloadedBytes, Duration duration) {
        restoreSize.record(downloadedBytes);
        restore.record(duration);
    }

    /** A thread went back to the committed state. */
    public void rolledBack() {
        rollbacks.increment();
    }

    /** Shows a task's lag until the registration is closed. The supplier must be safe from any thread. */
    public Registration lag(int task, LongSupplier records) {
        return meters.gauge(
                CatalogueEntry.TASK_LAG, tags.and(Tag.TASK, Integer.toString(task)), WeirMeters.doubles(records));
    }

    /** Shows how many epochs a thread has open until the registration is closed. The supplier must be safe from any thread. */
    public Registration openEpochs(String slot, LongSupplier epochs) {
        return meters.gauge(CatalogueEntry.EPOCHS_OPEN, tags.and(Tag.SLOT, slot), WeirMeters.doubles(epochs));
    }

    /** Shows the bytes of a thread's overlays until the registration is closed. The supplier must be safe from any thread. */
    public Registration overlayBytes(String slot, LongSupplier bytes) {
        return meters.gauge(CatalogueEntry.OVERLAY, tags.and(Tag.SLOT, slot), WeirMeters.doubles(bytes));
    }
}
