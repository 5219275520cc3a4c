package dev.weir.failure;

import org.jspecify.annotations.Nullable;

/** The other side did not answer or refused for now. The operation had no effect; the caller may try again. */
public final class TransientException extends WeirException {

    private static final long serialVersionUID = 1L;

    /** With a message of the form "Cannot X: reason with values, and what to do". */
    public TransientException(String message) {
        this(message, null);
    }

    /** With the cause of it. */
    public TransientException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
