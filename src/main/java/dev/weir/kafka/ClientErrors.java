package dev.weir.kafka;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.FencedException;
import dev.weir.failure.TransientException;
import dev.weir.failure.WeirException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidSessionTimeoutException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.InvalidTxnTimeoutException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** What an error of Kafka's clients means to callers. */
final class ClientErrors {

    private ClientErrors() {}

    /**
     * The exception to throw.
     *
     * @param doing what could not be done, as in "Cannot <i>doing</i>: reason"
     */
    static WeirException of(String doing, Throwable error) {
        var cause = unwrap(error);
        if (cause instanceof WeirException known) {
            return known;
        }
        var reason = "Cannot " + doing + ": " + reason(cause);
        if (isFenced(cause)) {
            return new FencedException(reason + "; another instance of the same id has taken over", cause);
        }
        if (isRefused(cause)) {
            return new ConfigurationException(reason + "; correct the configuration or the permissions", cause);
        }
        if (cause instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        } else if (!(cause instanceof KafkaException)) {
            throw new IllegalStateException("Cannot " + doing + ": unexpected " + cause, cause);
        }
        return new TransientException(reason + "; it can be tried again", cause);
    }

    static boolean isFenced(Throwable cause) {
        return cause instanceof ProducerFencedException
                || cause instanceof InvalidProducerEpochException
                || cause instanceof FencedInstanceIdException;
    }

    /** The client's own error, without what futures and callbacks wrap it in. */
    static Throwable unwrap(Throwable error) {
        var cause = error;
        while (cause.getCause() != null && isWrapper(cause)) {
            cause = cause.getCause();
        }
        return cause;
    }

    static String reason(Throwable cause) {
        var message = cause.getMessage();
        return message == null || message.isBlank()
                ? cause.getClass().getSimpleName()
                : cause.getClass().getSimpleName() + ", " + message;
    }

    private static boolean isWrapper(Throwable error) {
        return error instanceof ExecutionException
                || error instanceof CompletionException
                // What a client throws about an earlier failure, and about one of a rebalance callback.
                || error.getClass() == KafkaException.class;
    }

    private static boolean isRefused(Throwable cause) {
        return cause instanceof AuthorizationException
                || cause instanceof AuthenticationException
                || cause instanceof UnknownTopicOrPartitionException
                || cause instanceof InvalidTopicException
                || cause instanceof RecordTooLargeException
                || cause instanceof SerializationException
                || cause instanceof UnsupportedVersionException
                || cause instanceof InvalidConfigurationException
                || cause instanceof InvalidReplicationFactorException
                || cause instanceof PolicyViolationException
                || cause instanceof InvalidTxnTimeoutException
                || cause instanceof InvalidSessionTimeoutException
                || cause instanceof InconsistentGroupProtocolException
                || cause instanceof ConfigException;
    }

    static boolean isInterrupt(Throwable cause) {
        return cause instanceof InterruptException || cause instanceof InterruptedException;
    }
}
