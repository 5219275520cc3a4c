package dev.weir.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;

/** Who owns the control topic's only partition in the coordinators' group leads. Nothing is read by it. */
final class GroupLeadership implements Leadership {

    private final Consumer<byte[], byte[]> consumer;
    private volatile boolean leads;

    GroupLeadership(Consumer<byte[], byte[]> consumer, String controlTopic) {
        this.consumer = consumer;
        consumer.subscribe(List.of(controlTopic), new Callbacks());
    }

    @Override
    public void poll(Duration atMost) {
        try {
            consumer.poll(atMost);
        } catch (RuntimeException e) {
            throw ClientErrors.of("take part in the election of the leading coordinator", e);
        }
    }

    @Override
    public boolean isLeader() {
        return leads;
    }

    @Override
    public void close() {
        leads = false;
        try {
            consumer.close(CloseOptions.groupMembershipOperation(GroupMembershipOperation.LEAVE_GROUP)
                    .withTimeout(Duration.ofSeconds(5)));
        } catch (RuntimeException e) {
            throw ClientErrors.of("leave the election of the leading coordinator", e);
        }
    }

    private final class Callbacks implements ConsumerRebalanceListener {

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            consumer.pause(partitions);
            // Some position, or the client would ask for the group's committed one and fail as there is none.
            partitions.forEach(partition -> consumer.seek(partition, 0));
            if (!partitions.isEmpty()) {
                leads = true;
            }
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            if (!partitions.isEmpty()) {
                leads = false;
            }
        }
    }
}
