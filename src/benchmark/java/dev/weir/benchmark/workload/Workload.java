package dev.weir.benchmark.workload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The keyed running total that every worker computes: for each record it reads the key's (count, sum, max), updates it and emits it with
 * the key. Keys are 16 ASCII bytes, values 100 bytes that look like JSON, states 24 bytes or more.
 */
public final class Workload {

    /** Partitions of inputs and outputs. */
    public static final int PARTITIONS = 8;

    /** The topic that is read by those who do not write to it. */
    public static final String INPUT = "amounts";

    /** The same records for Weir, which writes markers into its inputs. */
    public static final String INPUT_WITH_MARKERS = "amounts-for-weir";

    /** The topic that is written. */
    public static final String OUTPUT = "totals";

    /** Length of a value. */
    public static final int VALUE_BYTES = 100;

    /** Length of a state that is not filled up. */
    public static final int MIN_STATE_BYTES = 24;

    /** One more than the greatest amount. */
    public static final int AMOUNTS = 1_000_000;

    private static final int KEY_BYTES = 16;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final long FIRST_FACTOR = 0x9E3779B97F4A7C15L;
    private static final long SECOND_FACTOR = 0xD6E8FEB86659FD93L;
    private static final long FIRST_INVERSE = inverse(FIRST_FACTOR);
    private static final long SECOND_INVERSE = inverse(SECOND_FACTOR);
    private static final String HEAD = "{\"type\":\"credit\",\"amount\":";
    private static final int AMOUNT_DIGITS = 6;
    private static final byte[] TEMPLATE = template();

    private Workload() {}

    /** The key of an id: a bijection whose order says nothing about the order of the ids. */
    public static byte[] key(long id) {
        long x = id * FIRST_FACTOR;
        x = (x ^ (x >>> 32)) * SECOND_FACTOR;
        x ^= x >>> 32;
        byte[] key = new byte[KEY_BYTES];
        for (int i = KEY_BYTES - 1; i >= 0; i--, x >>>= 4) {
            key[i] = HEX[(int) (x & 15)];
        }
        return key;
    }

    /** The id that a key was made of; some id that was not handed out if the key is none of ours, or −1. */
    public static long id(byte[] key) {
        if (key.length != KEY_BYTES) {
            return -1;
        }
        long x = 0;
        for (byte digit : key) {
            int value = Character.digit(digit, 16);
            if (value < 0) {
                return -1;
            }
            x = (x << 4) | value;
        }
        x ^= x >>> 32;
        x *= SECOND_INVERSE;
        x ^= x >>> 32;
        return x * FIRST_INVERSE;
    }

    /** The inverse of an odd number modulo 2⁶⁴, by Newton's method. */
    private static long inverse(long odd) {
        long inverse = odd;
        for (int i = 0; i < 5; i++) {
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }

    /** A record's value. */
    public static byte[] value(int amount) {
        byte[] value = TEMPLATE.clone();
        int left = amount;
        for (int i = HEAD.length() + AMOUNT_DIGITS - 1; i >= HEAD.length(); i--, left /= 10) {
            value[i] = (byte) ('0' + left % 10);
        }
        return value;
    }

    /** Finds {@code "amount":} and reads the digits after it, as a small parser written by hand would. */
    public static long amount(byte[] value) {
        int at = 0;
        while (value[at] != 'a' || value[at + 1] != 'm' || value[at + 7] != ':') {
            at++;
        }
        long amount = 0;
        for (int i = at + 8; value[i] >= '0' && value[i] <= '9'; i++) {
            amount = amount * 10 + value[i] - '0';
        }
        return amount;
    }

    /** The state after one more amount; {@code before} is null for a new key and is not changed. */
    public static byte[] update(byte @Nullable [] before, long amount, int stateBytes) {
        byte[] after = before == null ? create(amount, stateBytes) : before.clone();
        add(after, amount);
        return after;
    }

    /** An empty state; bytes after the first 24 only take up room, and do not compress. */
    public static byte[] create(long seed, int stateBytes) {
        byte[] state = new byte[stateBytes];
        long noise = seed;
        for (int i = MIN_STATE_BYTES; i < stateBytes; i++) {
            noise = noise * 0x5851F42D4C957F2DL + 0x14057B7EF767814FL;
            state[i] = (byte) (noise >>> 56);
        }
        return state;
    }

    /** Adds an amount to a state in place. */
    public static void add(byte[] state, long amount) {
        LONG.set(state, 0, count(state) + 1);
        LONG.set(state, 8, sum(state) + amount);
        LONG.set(state, 16, Math.max(max(state), amount));
    }

    /** How many amounts are in a state. */
    public static long count(byte[] state) {
        return (long) LONG.get(state, 0);
    }

    /** The sum of the amounts in a state. */
    public static long sum(byte[] state) {
        return (long) LONG.get(state, 8);
    }

    /** The greatest amount in a state. */
    public static long max(byte[] state) {
        return (long) LONG.get(state, 16);
    }

    private static byte[] template() {
        String head = HEAD + "0".repeat(AMOUNT_DIGITS) + ",\"currency\":\"EUR\",\"note\":\"";
        return (head + "x".repeat(VALUE_BYTES - head.length() - 2) + "\"}").getBytes(StandardCharsets.US_ASCII);
    }
}
