package dev.weir.benchmark;

/**
 * What is measured.
 *
 * @param measure the kind of measurement
 * @param description what else decides on it, for a reader
 */
record Scenario(Measure measure, String description) {

    /** The kinds of measurement. */
    enum Measure {
        CATCHUP,
        LATENCY,
        RECOVERY
    }
}
