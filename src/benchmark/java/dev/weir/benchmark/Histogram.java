package dev.weir.benchmark;

/** Whole milliseconds, counted one by one up to two minutes; what is longer counts as that. */
final class Histogram {

    private static final int MOST_MILLIS = 120_000;

    private final long[] counts = new long[MOST_MILLIS + 1];
    private long total;

    void add(long millis) {
        counts[(int) Math.max(0, Math.min(MOST_MILLIS, millis))]++;
        total++;
    }

    /** The least number that this share of all is not above; −1 if there are none. */
    int quantile(double share) {
        if (total == 0) {
            return -1;
        }
        long wanted = Math.max(1, (long) Math.ceil(total * share));
        long below = 0;
        int millis = -1;
        while (below < wanted) {
            millis++;
            below += counts[millis];
        }
        return millis;
    }
}
