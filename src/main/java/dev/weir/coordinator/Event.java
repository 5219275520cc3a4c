package dev.weir.coordinator;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ManifestRef;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.topology.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What {@link Leader} hears: what happens in the election and on the control topic, and what came of its decisions. */
sealed interface Event {

    /** This process was elected. */
    record Elected() implements Event {}

    /** This process is not the elected one any more. */
    record Deposed() implements Event {}

    /** Time has passed. */
    record Tick() implements Event {}

    /** A record was read from the control topic. */
    record Read(long offset, ControlRecord record) implements Event {}

    /** The control topic will be read again from its beginning; what was read before no longer counts. */
    record ReadingAgain(String reason) implements Event {}

    /** All that stood on the control topic after the leader's writer was opened has been read. */
    record CaughtUp() implements Event {}

    /** The leader's writer is open; every earlier one is fenced. */
    record WriterOpened() implements Event {}

    /** The leader's writer is of no use any more; what was being written may or may not stand on the topic. */
    record WriterFailed(boolean fenced, String reason) implements Event {}

    /** The records of the last {@link Decision.Publish} are written. */
    record Published() implements Event {}

    /** The number of partitions of each source topic that exists. */
    record SourcesDescribed(Map<String, Integer> partitions) implements Event {}

    record SourcesUnknown(String reason) implements Event {}

    /** The markers of a checkpoint are in all its partitions. */
    record MarkersWritten(long checkpoint, Map<TopicPartition, Long> offsets) implements Event {}

    /** The markers of a checkpoint may be in some of its partitions. */
    record MarkersFailed(long checkpoint, String reason) implements Event {}

    /** The cut of a checkpoint was examined; it is consistent if there are no findings. */
    record Verified(long checkpoint, List<String> findings) implements Event {}

    /**
     * What stands in the object store about a checkpoint.
     *
     * @param startedAtMillis when the checkpoint that it speaks of was started
     * @param manifest its name and hash
     */
    record Ruled(long checkpoint, Outcome outcome, @Nullable String reason, long startedAtMillis, ManifestRef manifest)
            implements Event {}

    /** The object store did not answer a question about a checkpoint, or not in a way that can be relied on. */
    record StoreFailed(long checkpoint, String reason) implements Event {}

    /** The members of groups at one moment. */
    record MembersSeen(Map<String, Set<String>> instances) implements Event {}

    record MembersUnknown(String reason) implements Event {}

    /** What a dead slot left open is aborted. */
    record Fenced(String slot, String token) implements Event {}

    record FenceFailed(String slot, String token, String reason) implements Event {}
}
