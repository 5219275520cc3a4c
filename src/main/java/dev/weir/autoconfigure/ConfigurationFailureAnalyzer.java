package dev.weir.autoconfigure;

import dev.weir.failure.ConfigurationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints what is wrong with the configuration in place of a stack trace. */
final class ConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<ConfigurationException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ConfigurationException cause) {
        return new FailureAnalysis(
                String.valueOf(cause.getMessage()), "Each sentence above says what to change.", cause);
    }
}
