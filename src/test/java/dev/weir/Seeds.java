package dev.weir;

import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.AnnotationConsumer;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** Supplies the seeds of a {@link SeedSource}. */
final class Seeds implements ArgumentsProvider, AnnotationConsumer<SeedSource> {

    /** System property: the one seed to run. */
    static final String SEED = "weir.seed";

    /** System property: how many seeds to run. */
    static final String SEEDS = "weir.seeds";

    private int count;

    @Override
    public void accept(SeedSource source) {
        count = source.count();
    }

    @Override
    public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        return seeds(count, System.getProperty(SEED), System.getProperty(SEEDS)).mapToObj(Arguments::of);
    }

    static LongStream seeds(int count, String replayed, String wanted) {
        if (replayed != null && !replayed.isBlank()) {
            return LongStream.of(number(SEED, replayed));
        }
        long limit = wanted == null || wanted.isBlank() ? count : number(SEEDS, wanted);
        if (limit < 1) {
            throw new IllegalArgumentException(
                    "Cannot run " + limit + " seeds: a test without seeds proves nothing. Ask for at least 1.");
        }
        return LongStream.rangeClosed(1, limit).map(Seeds::seed);
    }

    /** Neighbouring seeds start generators alike, so the index is mixed first. */
    private static long seed(long index) {
        return new SplittableRandom(index).nextLong() >>> 16;
    }

    private static long number(String property, String value) {
        try {
            return Long.parseLong(value.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "Cannot read -D" + property + "=" + value + ": it must be a whole number.", e);
        }
    }
}
