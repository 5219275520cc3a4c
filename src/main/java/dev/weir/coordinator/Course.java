package dev.weir.coordinator;

import dev.weir.barrier.ControlRecord;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.topology.TopicPartition;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where an open checkpoint stands with its leader. */
sealed interface Course {

    /** Its markers are being written. */
    record Injecting() implements Course {}

    /** Its markers are written; that is to be published. */
    record Placed(Map<TopicPartition, Long> offsets) implements Course {}

    /** Tasks have yet to acknowledge it. */
    record Waiting() implements Course {}

    /** All tasks have acknowledged it; its cut is being examined. */
    record Verifying() implements Course {}

    /** The object store is asked to hold a decision. */
    record Ruling(Outcome outcome, @Nullable String reason) implements Course {}

    /** The object store failed; {@code next} is taken up again at the given time. */
    record Resting(long untilMillis, Course next) implements Course {}

    /** It is decided; that is to be published. */
    record Decided(ControlRecord.Decided record) implements Course {}
}
