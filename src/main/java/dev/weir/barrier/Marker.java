package dev.weir.barrier;

/**
 * What a barrier record in a partition says.
 *
 * @param domain the domain whose checkpoint it belongs to
 * @param clusterId the Kafka cluster that it was written to; a copy on another cluster means nothing
 * @param incarnation the domain's incarnation when it was written
 * @param checkpoint the checkpoint's id
 */
public record Marker(String domain, String clusterId, long incarnation, long checkpoint) {}
