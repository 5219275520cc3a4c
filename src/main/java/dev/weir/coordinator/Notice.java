package dev.weir.coordinator;

import java.util.List;

/** What people and meters are told. */
sealed interface Notice {

    /** This process leads now. */
    record Leading(int openCheckpoints) implements Notice {}

    /** This process does not lead any more. */
    record SteppedDown() implements Notice {}

    /** Everything under way was dropped; it goes on after a pause as if just elected. */
    record Interrupted(String reason) implements Notice {}

    record Started(long checkpoint, int tasks, int partitions) implements Notice {}

    record Completed(long checkpoint, long durationMillis, int tasks, int markers) implements Notice {}

    record Abandoned(long checkpoint, long durationMillis, int tasks, int acknowledged, String reason)
            implements Notice {}

    /** A checkpoint that all tasks acknowledged is not a consistent cut: a defect. */
    record Inconsistent(long checkpoint, List<String> findings) implements Notice {}

    /** The object store holds a decision about another checkpoint of the same id. */
    record IdTaken(long checkpoint) implements Notice {}

    /** Something failed and will be tried again. */
    record Retrying(String what, String reason) implements Notice {}

    /** No checkpoint can be started while these source topics are missing. */
    record SourcesMissing(List<String> topics) implements Notice {}

    /** The number of partitions of a source topic is not what it was. */
    record SourceChanged(String topic, int before, int now) implements Notice {}

    /** A dead slot was fenced. */
    record SlotFenced(String slot) implements Notice {}
}
