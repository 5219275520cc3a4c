package dev.weir.failure;

import org.jspecify.annotations.Nullable;

/** Stored bytes are missing or are not what their hash says. The caller stops the task and opens nothing; never falls back to something older. */
public final class CorruptionException extends WeirException {

    private static final long serialVersionUID = 1L;

    /** With a message of the form "Cannot X: reason with values, and what to do". */
    public CorruptionException(String message) {
        this(message, null);
    }

    /** With the cause of it. */
    public CorruptionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
