package dev.weir.failure;

import org.jspecify.annotations.Nullable;

/** What the user wrote or set is wrong. The caller refuses to start; trying again does not help. */
public final class ConfigurationException extends WeirException {

    private static final long serialVersionUID = 1L;

    /** With a message of the form "Cannot X: reason with values, and what to do". */
    public ConfigurationException(String message) {
        this(message, null);
    }

    /** With the cause of it. */
    public ConfigurationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
