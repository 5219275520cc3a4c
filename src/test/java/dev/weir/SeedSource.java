package dev.weir;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * Marks a test with one {@code long} parameter that is run once per seed.
 *
 * <p>The seeds are the same in every run. {@code -Dweir.seeds=N} runs N of them instead of {@link #count()}, and
 * {@code -Dweir.seed=N} runs the seed N alone. The seed stands in the test's display name, and a failure prints how to
 * replay it.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "seed {0}")
@ArgumentsSource(Seeds.class)
@ExtendWith(SeedReport.class)
public @interface SeedSource {

    /** How many seeds to run; at least 1. */
    int count();
}
