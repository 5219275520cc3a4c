package dev.weir.metrics;

import java.util.List;

/** Every meter that Weir registers: its name, kind, unit, meaning and tags. */
public enum CatalogueEntry {
    RECORDS_PROCESSED(
            "weir.records.processed", Kind.COUNTER, "records", "Records handled by a processor", Tag.PROCESSOR),
    RECORDS_FAILED(
            "weir.records.failed",
            Kind.COUNTER,
            "records",
            "Records that did not decode, or that the processor threw at, whatever was done about it",
            Tag.PROCESSOR),
    TASK_LAG("weir.task.lag", Kind.GAUGE, "records", "Records not processed yet", Tag.PROCESSOR, Tag.TASK),
    EPOCH(
            "weir.epoch",
            Kind.TIMER,
            "seconds",
            "From an epoch's first record to its end, its commit not included",
            Tag.PROCESSOR),
    EPOCHS_OPEN(
            "weir.epochs.open", Kind.GAUGE, "epochs", "Epochs of a thread not committed yet", Tag.PROCESSOR, Tag.SLOT),
    OVERLAY("weir.overlay", Kind.GAUGE, "bytes", "State in memory that is not applied yet", Tag.PROCESSOR, Tag.SLOT),
    COMMIT("weir.commit", Kind.TIMER, "seconds", "Sending positions and committing the transaction", Tag.PROCESSOR),
    ALIGNMENT("weir.alignment", Kind.TIMER, "seconds", "From learning of a checkpoint to cutting it", Tag.PROCESSOR),
    DELTA("weir.delta", Kind.TIMER, "seconds", "Making an epoch's changes durable", Tag.PROCESSOR),
    DELTA_SIZE("weir.delta.size", Kind.SUMMARY, "bytes", "Size of an epoch's changes", Tag.PROCESSOR),
    BASE("weir.base", Kind.TIMER, "seconds", "Uploading a base in the background", Tag.PROCESSOR),
    BASE_SIZE(
            "weir.base.size",
            Kind.SUMMARY,
            "bytes",
            "Bytes uploaded for a base, files that were there before left out",
            Tag.PROCESSOR),
    RESTORE("weir.restore", Kind.TIMER, "seconds", "Restoring a task's state", Tag.PROCESSOR),
    RESTORE_SIZE(
            "weir.restore.size", Kind.SUMMARY, "bytes", "Bytes downloaded to restore a task's state", Tag.PROCESSOR),
    ROLLBACKS(
            "weir.rollbacks",
            Kind.COUNTER,
            "rollbacks",
            "Returns to the committed state after an aborted epoch",
            Tag.PROCESSOR),
    CHECKPOINT("weir.checkpoint", Kind.TIMER, "seconds", "From a checkpoint's start to its completion", Tag.DOMAIN),
    CHECKPOINTS_COMPLETED(
            "weir.checkpoints.completed",
            Kind.COUNTER,
            "checkpoints",
            "Checkpoints completed by this leader",
            Tag.DOMAIN),
    CHECKPOINTS_ABANDONED(
            "weir.checkpoints.abandoned",
            Kind.COUNTER,
            "checkpoints",
            "Checkpoints abandoned by this leader",
            Tag.DOMAIN),
    CHECKPOINT_AGE(
            "weir.checkpoint.age",
            Kind.GAUGE,
            "seconds",
            "Time since the last complete checkpoint; not a number before the first",
            Tag.DOMAIN),
    LEADER("weir.leader", Kind.GAUGE, "", "1 while this process leads the domain's checkpoints, else 0", Tag.DOMAIN);

    /** What kind of meter it is. */
    public enum Kind {
        COUNTER,
        TIMER,
        GAUGE,
        SUMMARY
    }

    /** The keys of tags. */
    static final class Tag {
        static final String PROCESSOR = "processor";
        static final String TASK = "task";
        static final String SLOT = "slot";
        static final String DOMAIN = "domain";

        private Tag() {}
    }

    private final String meter;
    private final Kind kind;
    private final String unit;
    private final String meaning;
    private final List<String> tags;

    CatalogueEntry(String meter, Kind kind, String unit, String meaning, String... tags) {
        this.meter = meter;
        this.kind = kind;
        this.unit = unit;
        this.meaning = meaning;
        this.tags = List.of(tags);
    }

    /** The meter's name. */
    public String meter() {
        return meter;
    }

    /** Its kind. */
    public Kind kind() {
        return kind;
    }

    /** Its base unit, or an empty text for a plain number. */
    public String unit() {
        return unit;
    }

    /** What it measures. */
    public String meaning() {
        return meaning;
    }

    /** The keys of its tags. */
    public List<String> tags() {
        return List.copyOf(tags);
    }
}
