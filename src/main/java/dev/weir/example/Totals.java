package dev.weir.example;

/**
 * What all departures of an airport come to.
 *
 * @param departures how many there were
 * @param delayedOver15 how many were more than 15 minutes late
 * @param totalDelayMinutes the sum of their delays
 * @param maxDelayMinutes the longest delay
 * @param totalDistanceMiles the sum of their distances
 */
record Totals(
        long departures, long delayedOver15, long totalDelayMinutes, int maxDelayMinutes, long totalDistanceMiles) {

    private static final int LATE_MINUTES = 15;

    static final Totals EMPTY = new Totals(0, 0, 0, Integer.MIN_VALUE, 0);

    Totals plus(Flight flight) {
        return new Totals(
                departures + 1,
                delayedOver15 + (flight.delay() > LATE_MINUTES ? 1 : 0),
                totalDelayMinutes + flight.delay(),
                Math.max(maxDelayMinutes, flight.delay()),
                totalDistanceMiles + flight.distance());
    }
}
