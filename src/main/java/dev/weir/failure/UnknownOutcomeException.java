package dev.weir.failure;

import org.jspecify.annotations.Nullable;

/** The operation may or may not have had its effect. The caller must find out before it does anything that depends on the answer, and may delete nothing. */
public final class UnknownOutcomeException extends WeirException {

    private static final long serialVersionUID = 1L;

    /** With a message of the form "Cannot X: reason with values, and what to do". */
    public UnknownOutcomeException(String message) {
        this(message, null);
    }

    /** With the cause of it. */
    public UnknownOutcomeException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
