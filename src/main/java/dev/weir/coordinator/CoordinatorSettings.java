package dev.weir.coordinator;

import dev.weir.failure.ConfigurationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * How a domain is coordinated. Every process of the domain must use the same settings.
 *
 * @param domain the domain's name
 * @param sources the source topics of all its processors
 * @param checkpointInterval from the start of one checkpoint to the start of the next, at least
 * @param checkpointTimeout how long a checkpoint may stay open before it is abandoned
 * @param slotGrace how long the member of a registered slot must have been gone from its group before the slot is fenced; not below the
 *     session timeout of the groups
 * @param fullStateEvery the number of control records after which the domain's full state is written again
 */
public record CoordinatorSettings(
        String domain,
        List<SourceTopic> sources,
        Duration checkpointInterval,
        Duration checkpointTimeout,
        Duration slotGrace,
        int fullStateEvery) {

    /** Ten seconds. */
    public static final Duration DEFAULT_CHECKPOINT_INTERVAL = Duration.ofSeconds(10);

    /** One minute. */
    public static final Duration DEFAULT_CHECKPOINT_TIMEOUT = Duration.ofSeconds(60);

    /** 45 seconds. */
    public static final Duration DEFAULT_SLOT_GRACE = Duration.ofSeconds(45);

    /** 1,000 records. */
    public static final int DEFAULT_FULL_STATE_EVERY = 1_000;

    /** Rejects itself with all that is wrong. */
    public CoordinatorSettings {
        sources = List.copyOf(sources);
        var faults = new ArrayList<String>();
        if (domain.isBlank()) {
            faults.add("the domain has no name");
        }
        if (sources.isEmpty()) {
            faults.add("there is no source topic");
        }
        var seen = new HashSet<String>();
        for (var source : sources) {
            if (!seen.add(source.topic())) {
                faults.add("the source topic '" + source.topic() + "' is named twice");
            }
        }
        requirePositive("checkpoint interval", checkpointInterval, faults);
        requirePositive("checkpoint timeout", checkpointTimeout, faults);
        requirePositive("slot grace", slotGrace, faults);
        if (fullStateEvery < 1) {
            faults.add("the full state cannot be written every " + fullStateEvery + " records; it takes 1 or more");
        }
        if (!faults.isEmpty()) {
            throw new ConfigurationException("Cannot coordinate domain '" + domain + "': " + String.join("; ", faults)
                    + ". Correct the settings.");
        }
    }

    /** The defaults for a domain with these source topics. */
    public static CoordinatorSettings of(String domain, List<SourceTopic> sources) {
        return new CoordinatorSettings(
                domain,
                sources,
                DEFAULT_CHECKPOINT_INTERVAL,
                DEFAULT_CHECKPOINT_TIMEOUT,
                DEFAULT_SLOT_GRACE,
                DEFAULT_FULL_STATE_EVERY);
    }

    private static void requirePositive(String what, Duration value, List<String> faults) {
        if (value.toMillis() < 1) {
            faults.add("the " + what + " is " + value.toMillis() + " ms; it must be 1 ms or more");
        }
    }

    /** A source topic and how its barriers are set. */
    public record SourceTopic(String topic, MarkerMode mode) {

        /** Rejects itself if the topic has no name. */
        public SourceTopic {
            if (topic.isBlank()) {
                throw new ConfigurationException("Cannot use a source topic: it has no name. Name it.");
            }
        }
    }

    /** How the barriers of a source topic are set. */
    public enum MarkerMode {
        /** A marker record is written into each of its partitions. */
        IN_BAND,
        /** The end offset of each partition is the barrier; nothing is written into the topic. */
        BY_OFFSET
    }
}
