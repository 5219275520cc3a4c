package dev.weir.failure;

import org.jspecify.annotations.Nullable;

/** Everything that Weir throws on purpose. The subclass says what the caller must do. */
public abstract sealed class WeirException extends RuntimeException
        permits ConfigurationException,
                CorruptionException,
                FencedException,
                StoppedException,
                TransientException,
                UnknownOutcomeException {

    private static final long serialVersionUID = 1L;

    WeirException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
