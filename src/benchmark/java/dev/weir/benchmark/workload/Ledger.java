package dev.weir.benchmark.workload;

/**
 * What the amounts of each key come to, and in which order they came: two ledgers are equal on a key only if the same amounts were added
 * in the same order.
 */
public final class Ledger {

    private final int[] counts;
    private final long[] sums;
    private final int[] maxes;
    private final long[] trails;
    private long records;

    /** For ids below a number. */
    public Ledger(int ids) {
        counts = new int[ids];
        sums = new long[ids];
        maxes = new int[ids];
        trails = new long[ids];
    }

    private Ledger(Ledger other) {
        counts = other.counts.clone();
        sums = other.sums.clone();
        maxes = other.maxes.clone();
        trails = other.trails.clone();
        records = other.records;
    }

    /** One that goes its own way from here. */
    public Ledger copy() {
        return new Ledger(this);
    }

    /** Adds an amount to a key. */
    public void add(int id, int amount) {
        counts[id]++;
        sums[id] += amount;
        maxes[id] = Math.max(maxes[id], amount);
        trails[id] = trails[id] * 0x5851F42D4C957F2DL + amount + 1;
        records++;
    }

    /** How many ids it is for. */
    public int ids() {
        return counts.length;
    }

    /** How many amounts were added. */
    public long records() {
        return records;
    }

    int count(int id) {
        return counts[id];
    }

    long sum(int id) {
        return sums[id];
    }

    int max(int id) {
        return maxes[id];
    }

    /** How many keys differ. */
    int differences(Ledger other) {
        int different = 0;
        for (int id = 0; id < counts.length; id++) {
            if (counts[id] != other.counts[id]
                    || sums[id] != other.sums[id]
                    || maxes[id] != other.maxes[id]
                    || trails[id] != other.trails[id]) {
                different++;
            }
        }
        return different;
    }
}
