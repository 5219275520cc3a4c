package dev.weir.benchmark;

import java.util.List;

/**
 * Some numbers in three.
 *
 * @param median the middle one, or the mean of the two in the middle
 * @param min the least
 * @param max the greatest
 */
record Spread(double median, double min, double max) {

    /** Of one number or more. */
    static Spread of(List<Double> numbers) {
        if (numbers.isEmpty()) {
            throw new IllegalArgumentException("Cannot tell the median of nothing");
        }
        List<Double> sorted = numbers.stream().sorted().toList();
        int middle = sorted.size() / 2;
        double median = sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        return new Spread(median, sorted.get(0), sorted.get(sorted.size() - 1));
    }
}
