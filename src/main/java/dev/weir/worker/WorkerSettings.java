package dev.weir.worker;

import dev.weir.failure.ConfigurationException;
import dev.weir.snapshot.Pointer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the workers of one process work.
 *
 * @param domain the domain's name
 * @param instance this process's stable name: the pod's name or a persisted id
 * @param concurrency threads for each processor, at least 1
 * @param startFrom where a new task begins to read
 * @param alignmentTimeout how long a thread waits for markers once it has learned of a checkpoint
 * @param commitInterval how often epochs end beside the cuts; null for at cuts only
 * @param transactionTimeout after which the brokers abort a transaction; an epoch ends at the latest after a third of it
 * @param maxPollInterval the consumers' {@code max.poll.interval.ms}; a revoke takes at most a third of it, and at most 10 s
 * @param overlayBytes how many bytes of uncommitted state a thread may hold before it ends an epoch
 * @param cacheBytes how many bytes of what the stores hold a thread keeps in memory; 0 for none
 * @param recordsPerStep how many records are processed between two polls at most
 * @param pollTime how long a poll waits for records at most
 * @param bases when a new base is taken
 * @param onError what happens to a record that cannot be processed
 * @param departure what a stopped thread does with its membership
 */
public record WorkerSettings(
        String domain,
        String instance,
        int concurrency,
        StartFrom startFrom,
        Duration alignmentTimeout,
        @Nullable Duration commitInterval,
        Duration transactionTimeout,
        Duration maxPollInterval,
        long overlayBytes,
        long cacheBytes,
        int recordsPerStep,
        Duration pollTime,
        BasePolicy bases,
        OnError onError,
        Departure departure) {

    public WorkerSettings {
        var wrong = new ArrayList<String>();
        if (concurrency < 1) {
            wrong.add("concurrency is " + concurrency + ", it must be at least 1");
        }
        if (overlayBytes < 1) {
            wrong.add("the bound on uncommitted state is " + overlayBytes + " bytes, it must be positive");
        }
        if (cacheBytes < 0) {
            wrong.add("the cache of state is " + cacheBytes + " bytes, it must not be negative");
        }
        if (recordsPerStep < 1) {
            wrong.add("records per step is " + recordsPerStep + ", it must be at least 1");
        }
        if (commitInterval != null) {
            requirePositive("the commit interval", commitInterval, wrong);
        }
        requirePositive("the transaction timeout", transactionTimeout, wrong);
        requirePositive("the maximum poll interval", maxPollInterval, wrong);
        requirePositive("the poll time", pollTime, wrong);
        if (alignmentTimeout.isNegative()) {
            wrong.add("the alignment timeout is " + alignmentTimeout + ", it must not be negative");
        }
        if (alignmentTimeout.compareTo(transactionTimeout.dividedBy(3)) > 0) {
            wrong.add(
                    "the alignment timeout " + alignmentTimeout + " is longer than a third of the transaction timeout "
                            + transactionTimeout + ", after which an epoch has to end");
        }
        if (!wrong.isEmpty()) {
            throw new ConfigurationException("Cannot start the workers: " + String.join("; ", wrong));
        }
    }

    private static void requirePositive(String what, Duration duration, List<String> wrong) {
        if (duration.isNegative() || duration.isZero()) {
            wrong.add(what + " is " + duration + ", it must be positive");
        }
    }

    /** The slot of one of a processor's threads. */
    String slot(String processor, int thread) {
        var slot = domain + "." + processor + "." + instance + "." + thread;
        if (slot.length() > Pointer.MAX_SLOT_LENGTH) {
            throw new ConfigurationException("Cannot start processor " + processor + ": its slot " + slot + " has "
                    + slot.length() + " characters, at most " + Pointer.MAX_SLOT_LENGTH
                    + " fit beside a committed position; use a shorter domain, processor or instance name");
        }
        return slot;
    }

    /** The consumer group of a processor. */
    public String group(String processor) {
        return domain + "." + processor;
    }

    List<String> transactionalIds(String slot) {
        return List.of(slot + ".0", slot + ".1");
    }

    Duration revokeDeadline() {
        var third = maxPollInterval.dividedBy(3);
        var most = Duration.ofSeconds(10);
        return third.compareTo(most) < 0 ? third : most;
    }

    /** Where a new task begins to read its inputs. */
    public sealed interface StartFrom {
        /** With the oldest record. */
        record Earliest() implements StartFrom {}

        /** With what is written from now on. */
        record Latest() implements StartFrom {}

        /** With the first record at or after this time, in milliseconds since the Unix epoch. */
        record Timestamp(long millis) implements StartFrom {}
    }

    /**
     * When a new base is taken: as soon as one of the bounds is reached.
     *
     * @param shareOfBase bytes of deltas since the base, as a share of the base's bytes
     * @param minBytes with fewer bytes of deltas than this the share does not count
     * @param maxDeltas number of deltas since the base
     */
    public record BasePolicy(double shareOfBase, long minBytes, int maxDeltas) {
        public BasePolicy {
            if (!(shareOfBase > 0) || minBytes < 0 || maxDeltas < 1) {
                throw new ConfigurationException("Cannot take bases with share " + shareOfBase + ", " + minBytes
                        + " bytes and " + maxDeltas + " deltas: share and deltas must be positive, bytes not negative");
            }
        }

        /** A half, 4 MiB, 64. */
        public static BasePolicy defaults() {
            return new BasePolicy(0.5, 4L << 20, 64);
        }

        boolean isDue(long baseBytes, long deltaBytes, int deltas) {
            return deltas >= maxDeltas
                    || (deltas > 0 && deltaBytes >= minBytes && deltaBytes >= shareOfBase * baseBytes);
        }
    }

    /** What happens to a record that cannot be decoded or whose handler throws. */
    public sealed interface OnError {
        /** Its task stands still in front of it until a restart; what came before is committed. */
        record Stop() implements OnError {}

        /** It goes to a topic, as it was and with headers that say where it came from and why, in the same transaction. */
        record DeadLetter(String topic) implements OnError {}
    }

    /** What a thread that is stopped in good order does with its membership of the group. */
    public enum Departure {
        /** It stays a member, so that a restart within the session timeout gets its partitions back. */
        STAY_MEMBER,
        /** It leaves, and its partitions move at once. */
        LEAVE_GROUP
    }
}
