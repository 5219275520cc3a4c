package dev.weir.worker.takeover;

import dev.weir.barrier.ControlRecord.Input;
import dev.weir.failure.StoppedException;
import dev.weir.failure.TransientException;
import dev.weir.kafka.KafkaCluster;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Checks that a processor's inputs are still those that its state was made from. */
public final class Inputs {

    private Inputs() {}

    /** The inputs as they are now. */
    public static Map<String, Input> describe(KafkaCluster cluster, List<String> topics) {
        var found = cluster.describeTopics(topics);
        var inputs = new TreeMap<String, Input>();
        for (var topic : topics) {
            var description = found.get(topic);
            if (description == null) {
                throw new TransientException("Cannot describe topic " + topic + ": the brokers do not know it");
            }
            inputs.put(topic, new Input(description.partitions(), description.topicId()));
        }
        return inputs;
    }

    /**
     * Compares the inputs with those at the processor's first start.
     *
     * @throws StoppedException if keyed state cannot follow what changed
     */
    public static void check(String processor, @Nullable Map<String, Input> first, Map<String, Input> now) {
        if (first == null) {
            return;
        }
        now.forEach((topic, input) -> {
            var before = first.get(topic);
            if (before == null) {
                return;
            }
            if (before.partitions() != input.partitions()) {
                throw new StoppedException("Cannot run processor " + processor + ": its input " + topic + " has "
                        + input.partitions() + " partitions, and its keyed state was built with " + before.partitions()
                        + "; keys are in other partitions now: copy the topic into one with " + before.partitions()
                        + " partitions, or give the processor a new name to build its state anew");
            }
            if (!before.topicId().equals(input.topicId())) {
                throw new StoppedException("Cannot run processor " + processor + ": its input " + topic
                        + " was deleted and created again (id " + before.topicId() + " before, " + input.topicId()
                        + " now), so that its positions mean nothing any more; give the processor a new name to build its"
                        + " state anew");
            }
        });
    }
}
