package dev.weir.time;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/** Makes short random names that no other writer makes, so that two writers never name the same object. */
public final class Tokens {

    private final RandomGenerator random;

    private Tokens(RandomGenerator random) {
        this.random = random;
    }

    /** Tokens from the machine's secure randomness. */
    public static Tokens secure() {
        return new Tokens(new SecureRandom());
    }

    /** Tokens from a generator of the caller's, for runs that must be repeatable. */
    public static Tokens from(RandomGenerator random) {
        return new Tokens(random);
    }

    /** A new token: 16 lower-case hexadecimal digits. */
    public synchronized String next() {
        return HexFormat.of().toHexDigits(random.nextLong());
    }
}
