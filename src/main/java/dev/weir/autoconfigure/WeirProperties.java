package dev.weir.autoconfigure;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.serialization.Serde;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Everything that can be set beside {@code spring.kafka.*}.
 *
 * @param enabled Whether processors are started.
 * @param domain Name of the domain, the processors that are checkpointed together. Letters, digits, '-', '_' and '.', at most 60. Default:
 *     spring.application.name.
 * @param instanceId Name of this process, the same after a restart and different from every other one's. Letters, digits, '-' and '_', at
 *     most 100. Default: POD_NAME, in Kubernetes also HOSTNAME, else a name kept in the state directory.
 * @param concurrency Threads of each processor in this process.
 * @param startFrom Where a task that has never run begins to read: earliest, latest, or a time such as 2026-01-31T00:00:00Z.
 * @param state State on the local disk.
 * @param checkpoint Checkpoints of the domain.
 * @param alignment Waiting for markers.
 * @param commit Commits.
 * @param transaction Kafka transactions.
 * @param limits Bounds on memory and work.
 * @param processing Records that cannot be processed.
 * @param topics Topics that do not exist.
 * @param topic Settings of single topics, by name; a name with dots is written in brackets: weir.topic[a.b].barriers.
 * @param store The object store for checkpoints.
 * @param base When a task's whole state is uploaded again instead of only its changes.
 * @param shutdown What a graceful stop does.
 * @param preflight Checks at start-up.
 */
@ConfigurationProperties("weir")
public record WeirProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String domain,
        @Nullable String instanceId,
        @DefaultValue("1") int concurrency,
        @DefaultValue("earliest") String startFrom,
        @DefaultValue State state,
        @DefaultValue Checkpoint checkpoint,
        @DefaultValue Alignment alignment,
        @DefaultValue Commit commit,
        @DefaultValue Transaction transaction,
        @DefaultValue Limits limits,
        @DefaultValue Processing processing,
        @DefaultValue Topics topics,
        @DefaultValue Map<String, Topic> topic,
        @DefaultValue Store store,
        @DefaultValue Base base,
        @DefaultValue Shutdown shutdown,
        @DefaultValue Preflight preflight) {

    /**
     * State on the local disk.
     *
     * @param directory Folder for the state of this process's tasks. No two processes may share it; what is in it can be lost
     *     without harm.
     * @param blockCache Memory of RocksDB for all tasks of this process, write buffers included.
     * @param writeBuffers Memory for state not yet written to the disk, for all tasks of this process; at most half of the
     *     block cache, which it is part of.
     * @param cache Heap for values that are in the stores, so that they need not be read from there, for all threads of this
     *     process; an eighth of the heap if not set, 0 for none.
     */
    public record State(
            @DefaultValue("weir-state") Path directory,
            @DefaultValue("128MB") DataSize blockCache,
            @DefaultValue("64MB") DataSize writeBuffers,
            @Nullable DataSize cache) {}

    /**
     * Checkpoints of the domain.
     *
     * @param interval From the start of one checkpoint to the start of the next.
     * @param timeout How long a checkpoint may stay open before it is abandoned.
     */
    public record Checkpoint(
            @DefaultValue("10s") Duration interval,
            @DefaultValue("60s") Duration timeout) {}

    /**
     * Waiting for markers.
     *
     * @param timeout How long a thread waits for the markers of a checkpoint before it cuts wherever it is.
     */
    public record Alignment(@DefaultValue("5s") Duration timeout) {}

    /**
     * Commits.
     *
     * @param mode Where an epoch's changes go before they are committed.
     * @param interval How often to commit between checkpoints. Default: only at checkpoints.
     */
    public record Commit(
            @DefaultValue("checkpoint") Mode mode, @Nullable Duration interval) {

        /** Where an epoch's changes go. */
        public enum Mode {
            /** To the object store. */
            CHECKPOINT,
            /** To a topic; not in this version. */
            CONTINUOUS
        }
    }

    /**
     * Kafka transactions.
     *
     * @param timeout After which the brokers abort a transaction. An epoch ends after a third of it at the latest.
     */
    public record Transaction(@DefaultValue("60s") Duration timeout) {}

    /**
     * Bounds on memory and work.
     *
     * @param overlayBytes State in memory at which a thread ends its epoch.
     * @param recordsPerStep Records that a thread processes between two polls at most.
     */
    public record Limits(
            @DefaultValue("64MB") DataSize overlayBytes,
            @DefaultValue("500") int recordsPerStep) {}

    /**
     * Records that cannot be processed.
     *
     * @param onError What happens to a record that does not decode or that the processor throws at.
     * @param deadLetterTopic Topic for such records, with dead-letter.
     */
    public record Processing(
            @DefaultValue("stop") OnError onError, @Nullable String deadLetterTopic) {

        /** What happens to a record that cannot be processed. */
        public enum OnError {
            /** The task stops in front of it; all before it is committed. */
            STOP,
            /** It is written to the dead-letter topic, in the same transaction, and the task goes on. */
            DEAD_LETTER
        }
    }

    /**
     * Topics that do not exist.
     *
     * @param create Whether inputs, outputs and the dead-letter topic are created at start-up. The control topic always is.
     * @param partitions Partitions of created topics. Default: the brokers' default.
     * @param replication Replicas of created topics. Default: the brokers' default.
     */
    public record Topics(
            @DefaultValue("false") boolean create,
            @Nullable Integer partitions,
            @Nullable Short replication) {}

    /**
     * Settings of one topic.
     *
     * @param barriers How checkpoints are marked in it, if it is an input.
     * @param keySerde Kafka serde of its keys. Default: text for String, raw for byte[], else JSON.
     * @param valueSerde Kafka serde of its values. Default: text for String, raw for byte[], else JSON.
     */
    public record Topic(
            @DefaultValue("in-band") Barriers barriers,
            @Nullable Class<? extends Serde<?>> keySerde,
            @Nullable Class<? extends Serde<?>> valueSerde) {

        /** How checkpoints are marked in a topic. */
        public enum Barriers {
            /** By a small record in each partition. */
            IN_BAND,
            /** By the partitions' end offsets; for topics that are not ours to write to. */
            BY_OFFSET
        }
    }

    /**
     * The object store for checkpoints.
     *
     * @param type Kind of the store; must be set.
     * @param path Folder of a file store, which all processes of the domain must share.
     * @param s3 The bucket of an S3 store.
     */
    public record Store(
            @Nullable Type type,
            @Nullable Path path,
            @DefaultValue S3 s3) {

        /** Kind of an object store. */
        public enum Type {
            /** A bucket of S3 or of a server that speaks its protocol. */
            S3,
            /** A folder: for one machine, or a shared file system. */
            FILE,
            /** This process's memory: for tests of one process. */
            MEMORY
        }
    }

    /**
     * The bucket of an S3 store. Credentials come from the default chain of the AWS SDK.
     *
     * @param bucket Name of the bucket, which must exist.
     * @param prefix Prefix of every object's key.
     * @param region Region of the bucket. Default: that of the AWS SDK.
     * @param endpoint Server that is not Amazon's.
     * @param pathStyle Whether the bucket stands in the path and not in the host name; for most servers that are not Amazon's.
     * @param checksums When S3's own checksums are used; when-required is for servers that do not know newer ones.
     * @param maxConnections Most connections at a time.
     * @param callTimeout For one call with all its attempts.
     * @param attemptTimeout For one attempt.
     */
    public record S3(
            @Nullable String bucket,
            @DefaultValue("") String prefix,
            @Nullable String region,
            @Nullable URI endpoint,
            @DefaultValue("false") boolean pathStyle,
            @DefaultValue("when-supported") Checksums checksums,
            @DefaultValue("64") int maxConnections,
            @DefaultValue("60s") Duration callTimeout,
            @DefaultValue("20s") Duration attemptTimeout) {

        /** When S3's own checksums are used. */
        public enum Checksums {
            WHEN_SUPPORTED,
            WHEN_REQUIRED
        }
    }

    /**
     * When a task's whole state is uploaded again instead of only its changes: as soon as one bound is reached.
     *
     * @param share Bytes of changes since the last time, as a share of the state's.
     * @param minBytes With fewer bytes of changes than this the share does not count.
     * @param maxDeltas Number of epochs with changes since the last time.
     */
    public record Base(
            @DefaultValue("0.5") double share,
            @DefaultValue("4MB") DataSize minBytes,
            @DefaultValue("64") int maxDeltas) {}

    /**
     * What a graceful stop does.
     *
     * @param departure Whether the process leaves its groups or stays a member for a restart.
     */
    public record Shutdown(@DefaultValue("leave-group") Departure departure) {

        /** What a stopped process does with its membership. */
        public enum Departure {
            /** It leaves: its tasks move at once. For scaling down. */
            LEAVE_GROUP,
            /** It stays a member until the session times out: a restart gets its tasks back. For rolling restarts. */
            STAY_MEMBER
        }
    }

    /**
     * Checks at start-up.
     *
     * @param timeout How long brokers may take to answer them, and how long a store that is away for a moment is waited for.
     */
    public record Preflight(@DefaultValue("30s") Duration timeout) {}
}
