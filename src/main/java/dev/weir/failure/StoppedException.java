package dev.weir.failure;

import org.jspecify.annotations.Nullable;

/** The processor cannot go on without an operator: the message names the way out. The caller stops it and keeps everything as it is. */
public final class StoppedException extends WeirException {

    private static final long serialVersionUID = 1L;

    /** With a message of the form "Cannot X: reason with values, and what to do". */
    public StoppedException(String message) {
        this(message, null);
    }

    /** With the cause of it. */
    public StoppedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
