package dev.weir.torture;

/** Where a worker can be made to die. */
enum Point {
    /** A marker has been polled, and the thread has taken note of it. */
    BARRIER_SEEN,
    /** Half of a delta is written. */
    DELTA_UPLOAD,
    /** Half of a file of a base is written. */
    BASE_UPLOAD,
    /** The delta is durable, its manifest is not. */
    BEFORE_MANIFEST,
    /** The manifest is durable, and the worker does not know. */
    AFTER_MANIFEST,
    /** All is durable, and nothing is committed. */
    BEFORE_COMMIT,
    /** The commit has returned, and nothing has been made of it. */
    AFTER_COMMIT,
    /** Some of what is to be restored has been read. */
    RESTORE
}
