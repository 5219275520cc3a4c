package dev.weir.snapshot;

import dev.weir.barrier.DomainState.Ancestor;
import dev.weir.barrier.TaskCut;
import dev.weir.topology.TopicPartition;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was decided about a checkpoint. Written once: whoever creates the object has decided.
 *
 * @param format the format's version
 * @param domain the domain
 * @param checkpoint its id
 * @param incarnation the domain's incarnation
 * @param lineage earlier incarnations and where the life line left them
 * @param outcome how it ended
 * @param reason why it was abandoned, or null
 * @param startedAtMillis when it was started, by the coordinator's clock
 * @param decidedAtMillis when it was decided, by the coordinator's clock
 * @param decidedBy who decided it; unique for each attempt
 * @param markers the offset of its marker in each source partition (empty if it was abandoned before)
 * @param cuts every task's cut (empty if it was abandoned)
 */
public record CheckpointManifest(
        int format,
        String domain,
        long checkpoint,
        long incarnation,
        Map<Long, Ancestor> lineage,
        Outcome outcome,
        @Nullable String reason,
        long startedAtMillis,
        long decidedAtMillis,
        String decidedBy,
        Map<TopicPartition, Long> markers,
        List<TaskCut> cuts) {

    /** The version that is written. */
    public static final int FORMAT = 1;

    /** How a checkpoint ended. */
    public enum Outcome {
        COMPLETE,
        ABANDONED
    }
}
