package dev.weir.autoconfigure.preflight;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was found outside of this process.
 *
 * @param kafka the cluster, or null if it could not be asked
 * @param kafkaFailure why it could not be asked, or null
 * @param storeName the object store
 * @param storeFailure why it cannot be used, or null
 * @param storeIsMemory whether it is this process's memory
 * @param disk the local disk
 */
public record Facts(
        @Nullable Kafka kafka,
        @Nullable String kafkaFailure,
        String storeName,
        @Nullable String storeFailure,
        boolean storeIsMemory,
        Disk disk) {

    /**
     * The cluster.
     *
     * @param bootstrap how it is reached
     * @param transactionVersion the finalized level of {@code transaction.version}, 0 if there is none
     * @param maxTransactionTimeoutMillis {@code transaction.max.timeout.ms}, or null if it may not be read
     * @param minSessionTimeoutMillis {@code group.min.session.timeout.ms}, or null if it may not be read
     * @param maxSessionTimeoutMillis {@code group.max.session.timeout.ms}, or null if it may not be read
     * @param topics the topics that exist
     * @param unauthorized topics that may not even be looked at
     */
    public record Kafka(
            String bootstrap,
            int transactionVersion,
            @Nullable Long maxTransactionTimeoutMillis,
            @Nullable Long minSessionTimeoutMillis,
            @Nullable Long maxSessionTimeoutMillis,
            Map<String, Topic> topics,
            Set<String> unauthorized) {}

    /**
     * A topic.
     *
     * @param partitions number of partitions
     * @param compacted whether its cleanup policy has compaction
     * @param retentionMillis after which records are deleted, −1 for never, or null if it may not be read
     * @param maxMessageBytes {@code max.message.bytes}, or null if it may not be read
     * @param readable whether it may be read, null if the brokers do not say
     * @param writable whether it may be written, null if the brokers do not say
     */
    public record Topic(
            int partitions,
            boolean compacted,
            @Nullable Long retentionMillis,
            @Nullable Integer maxMessageBytes,
            @Nullable Boolean readable,
            @Nullable Boolean writable) {}

    /**
     * The local disk.
     *
     * @param directory the state directory
     * @param failure why it cannot be used, or null
     * @param freeBytes free space in it
     * @param libraryFolder where RocksDB's native library is unpacked
     * @param libraryFolderExecutable whether files there can be executed
     */
    public record Disk(
            String directory,
            @Nullable String failure,
            long freeBytes,
            String libraryFolder,
            boolean libraryFolderExecutable) {}
}
