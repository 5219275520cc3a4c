package dev.weir.coordinator;

/**
 * When something happens.
 *
 * @param millis milliseconds of a monotonic clock; for deadlines
 * @param wallMillis milliseconds since the Unix epoch; may jump, for display and records
 */
record Moment(long millis, long wallMillis) {}
