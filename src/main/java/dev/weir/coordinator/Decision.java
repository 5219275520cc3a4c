package dev.weir.coordinator;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.DomainState.Ancestor;
import dev.weir.barrier.DomainState.OpenCheckpoint;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.topology.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What {@link Leader} wants done. Each is answered by one of the {@link Event}s named with it, unless {@link GiveUp} comes first. */
sealed interface Decision {

    /** Open the leader's writer, which fences every earlier one: {@link Event.WriterOpened}, {@link Event.WriterFailed}. */
    record OpenWriter() implements Decision {}

    /** Drop everything under way, its answers too, and close the leader's writer. */
    record GiveUp() implements Decision {}

    /** Write the records as one transaction: {@link Event.Published}, {@link Event.WriterFailed}. */
    record Publish(List<ControlRecord.Decided> records) implements Decision {}

    /** Look the source topics up: {@link Event.SourcesDescribed}, {@link Event.SourcesUnknown}. */
    record DescribeSources() implements Decision {}

    /** Write the markers of a checkpoint: {@link Event.MarkersWritten}, {@link Event.MarkersFailed}. */
    record Inject(long checkpoint, long incarnation, Set<TopicPartition> partitions) implements Decision {}

    /** Examine the cut of a checkpoint: {@link Event.Verified}, {@link Event.StoreFailed}. */
    record Verify(OpenCheckpoint checkpoint, long incarnation, Map<Long, Ancestor> lineage) implements Decision {}

    /**
     * Decide in the object store how a checkpoint ends, or find how it was decided: {@link Event.Ruled}, {@link Event.StoreFailed}.
     *
     * @param outcome how it shall end if it has not been decided yet
     * @param reason why it shall be abandoned, or null
     */
    record Rule(
            OpenCheckpoint checkpoint,
            long incarnation,
            Map<Long, Ancestor> lineage,
            Outcome outcome,
            @Nullable String reason)
            implements Decision {}

    /** See who is in the groups: {@link Event.MembersSeen}, {@link Event.MembersUnknown}. */
    record Look(Set<String> groups) implements Decision {}

    /** Abort what a dead slot left open, if this is still its registration: {@link Event.Fenced}, {@link Event.FenceFailed}. */
    record Fence(ControlRecord.SlotRegistered slot) implements Decision {}

    /** Delete the control topic's records below an offset; no answer. */
    record Trim(long belowOffset) implements Decision {}

    /** Tell people; no answer. */
    record Tell(Notice notice) implements Decision {}
}
