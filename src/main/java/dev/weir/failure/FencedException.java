package dev.weir.failure;

import org.jspecify.annotations.Nullable;

/** Another owner has taken over. The caller drops what it has not committed and gives up its role. */
public final class FencedException extends WeirException {

    private static final long serialVersionUID = 1L;

    /** With a message of the form "Cannot X: reason with values, and what to do". */
    public FencedException(String message) {
        this(message, null);
    }

    /** With the cause of it. */
    public FencedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
