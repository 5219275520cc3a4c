package dev.weir.kafka;

import dev.weir.failure.ConfigurationException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Gives partition <i>i</i> of all inputs to one member, by {@link dev.weir.kafka.Assignment}, and tells its {@link Membership} how the rebalance goes.
 * Each member's user data says whose files it has; each assignment's user data says whether tasks were withheld.
 */
public final class CoPartitionedAssignor implements ConsumerPartitionAssignor, Configurable {

    static final String NAME = "weir-copartitioned";
    /** The consumer property that carries the {@link Membership}. */
    static final String MEMBERSHIP = "weir.membership";

    private static final byte FORMAT = 1;

    private @Nullable Membership membership;

    @Override
    public void configure(Map<String, ?> configs) {
        if (!(configs.get(MEMBERSHIP) instanceof Membership given)) {
            throw new ConfigurationException("Cannot use the assignor " + NAME
                    + " outside of Weir: remove it from the consumer's partition.assignment.strategy");
        }
        membership = given;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<RebalanceProtocol> supportedProtocols() {
        return List.of(RebalanceProtocol.COOPERATIVE);
    }

    @Override
    public ByteBuffer subscriptionUserData(Set<String> topics) {
        var hint = membership().joining();
        var data = ByteBuffer.allocate(1 + Integer.BYTES * (1 + hint.size()))
                .put(FORMAT)
                .putInt(hint.size());
        hint.forEach(data::putInt);
        return data.flip();
    }

    @Override
    public GroupAssignment assign(Cluster metadata, GroupSubscription group) {
        var subscriptions = group.groupSubscription();
        var partitions = new TreeMap<String, Integer>();
        subscriptions.values().forEach(subscription -> subscription.topics().forEach(topic -> {
            var count = metadata.partitionCountForTopic(topic);
            if (count != null) {
                partitions.put(topic, count);
            }
        }));
        var topics = partitions.keySet();
        var assigned = new HashMap<String, Assignment>();
        subscriptions.keySet().forEach(member -> assigned.put(member, of(List.of(), false)));
        // Members of an older version of the processor, which do not read all inputs, get nothing.
        var members = subscriptions.entrySet().stream()
                .filter(entry -> entry.getValue().topics().containsAll(topics))
                .map(entry -> member(entry.getKey(), entry.getValue()))
                .toList();
        if (members.isEmpty()) {
            throw new ConfigurationException("Cannot assign tasks: no member of the group reads all of the inputs "
                    + topics + "; stop the instances that run another version of the processor");
        }
        var result = dev.weir.kafka.Assignment.assign(members, dev.weir.kafka.Assignment.taskCount(partitions));
        result.tasks().forEach((member, tasks) -> {
            var owned = new ArrayList<TopicPartition>();
            tasks.forEach(task -> topics.forEach(topic -> owned.add(new TopicPartition(topic, task))));
            assigned.put(member, of(owned, !result.withheld().isEmpty()));
        });
        return new GroupAssignment(assigned);
    }

    @Override
    public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
        var data = assignment.userData();
        boolean withheld = data != null && data.remaining() >= 2 && data.get(data.position() + 1) != 0;
        membership().joined(assignment.partitions(), withheld);
    }

    private static dev.weir.kafka.Assignment.Member member(String id, Subscription subscription) {
        var owned = new TreeSet<Integer>();
        subscription.ownedPartitions().forEach(partition -> owned.add(partition.partition()));
        return new dev.weir.kafka.Assignment.Member(
                id,
                subscription.groupInstanceId().orElse(""),
                subscription.generationId().orElse(-1),
                owned,
                hint(subscription.userData()));
    }

    private static Set<Integer> hint(@Nullable ByteBuffer userData) {
        var hint = new HashSet<Integer>();
        if (userData != null) {
            var data = userData.duplicate();
            if (data.remaining() > Integer.BYTES && data.get() == FORMAT) {
                for (int left = data.getInt(); left > 0 && data.remaining() >= Integer.BYTES; left--) {
                    hint.add(data.getInt());
                }
            }
        }
        return hint;
    }

    private static Assignment of(Collection<TopicPartition> partitions, boolean withheld) {
        var data = ByteBuffer.allocate(2)
                .put(FORMAT)
                .put((byte) (withheld ? 1 : 0))
                .flip();
        return new Assignment(List.copyOf(partitions), data);
    }

    private Membership membership() {
        if (membership == null) {
            throw new IllegalStateException("the assignor has not been configured");
        }
        return membership;
    }
}
