package dev.weir.kafka;

/** A committed position and the metadata that was committed with it; {@code ""} if there was none. */
public record CommittedPosition(long offset, String metadata) {}
