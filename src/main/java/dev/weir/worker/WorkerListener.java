package dev.weir.worker;

import dev.weir.topology.TaskId;

/** Is told what worker threads do, for meters; called on the thread, must be quick. All methods do nothing unless overridden. */
public interface WorkerListener {

    /** Tells nobody. */
    WorkerListener NONE = new WorkerListener() {};

    /** So many records were processed. */
    default void onRecords(String processor, int records) {}

    /** A record could not be processed. */
    default void onRecordFailed(String processor) {}

    /** A task's distance from the end of its inputs, in records. */
    default void onLag(TaskId task, long records) {}

    /** A task has left this thread. */
    default void onTaskGone(TaskId task) {}

    /** An epoch has ended and was open for so long. */
    default void onEpochEnded(String processor, long openNanos) {}

    /** A cut ended an alignment that took so long. */
    default void onAligned(String processor, long alignmentNanos) {}

    /** A delta and its manifest became durable. */
    default void onSecured(String processor, long bytes, long nanos) {}

    /** A commit ended well. */
    default void onCommitted(String processor, long nanos) {}

    /** A base was uploaded. */
    default void onBase(String processor, long uploadedBytes, long nanos) {}

    /** A task was restored. */
    default void onRestored(String processor, long downloadedBytes, long nanos) {}

    /** The thread went back to what is committed. */
    default void onRolledBack(String processor) {}

    /** Bytes of state that are not applied to disk yet, and epochs that are not committed yet. */
    default void onOpen(String slot, String processor, long overlayBytes, int openEpochs) {}
}
