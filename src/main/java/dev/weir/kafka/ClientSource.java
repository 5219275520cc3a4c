package dev.weir.kafka;

import dev.weir.failure.StoppedException;
import dev.weir.failure.WeirException;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A member of a group with a consumer of Kafka's client.
 *
 * <p>A new partition is paused and sought to offset 0 before anything else. Nothing is fetched from there, since it is paused; the
 * client only needs some position, or it would ask for the group's committed one on its own and fail where there is none.
 */
final class ClientSource implements Source {

    private static final long PLACEHOLDER = 0;
    private static final long UNKNOWN = -1;

    private final Consumer<byte[], byte[]> consumer;
    private final KafkaCluster.SourceSettings settings;
    private final PartitionListener listener;
    private final Membership membership;
    private @Nullable WeirException listenerFailure;
    private boolean closing;

    ClientSource(
            Consumer<byte[], byte[]> consumer,
            KafkaCluster.SourceSettings settings,
            PartitionListener listener,
            Membership membership) {
        this.consumer = consumer;
        this.settings = settings;
        this.listener = listener;
        this.membership = membership;
        consumer.subscribe(settings.topics(), new Callbacks());
    }

    @Override
    public List<Records> poll(Duration atMost) {
        if (membership.isOverdue()) {
            membership.askedAgain();
            consumer.enforceRebalance("tasks wait for an owner that did not let go of them by joining again");
        }
        return asking("poll", () -> records(consumer.poll(atMost)));
    }

    private static List<Records> records(ConsumerRecords<byte[], byte[]> polled) {
        var batches = new ArrayList<Records>(polled.partitions().size());
        for (var partition : polled.partitions()) {
            var list = polled.records(partition);
            if (!list.isEmpty()) {
                var next = polled.nextOffsets().get(partition);
                batches.add(new PolledRecords(
                        Topics.fromClient(partition),
                        list,
                        next != null ? next.offset() : list.get(list.size() - 1).offset() + 1));
            }
        }
        return batches;
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        consumer.pause(Topics.toClient(partitions));
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        consumer.resume(Topics.toClient(partitions));
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        consumer.seek(Topics.toClient(partition), offset);
    }

    /**
     * {@inheritDoc}
     *
     * <p>The client does not know it while it asks a new leader whether its log still has what was read; if it does not, the next polls
     * will say so.
     */
    @Override
    public long position(TopicPartition partition) {
        try {
            return consumer.position(Topics.toClient(partition), Duration.ZERO);
        } catch (TimeoutException | OffsetOutOfRangeException e) {
            return UNKNOWN;
        } catch (RuntimeException e) {
            throw failed("find the position in " + partition, e);
        }
    }

    @Override
    public long knownEnd(TopicPartition partition) {
        var lag = consumer.currentLag(Topics.toClient(partition));
        long position = lag.isPresent() ? position(partition) : UNKNOWN;
        return position == UNKNOWN ? UNKNOWN : position + lag.getAsLong();
    }

    @Override
    public Set<TopicPartition> owned() {
        return Topics.fromClient(consumer.assignment());
    }

    @Override
    public GroupMember member() {
        return new ClientGroupMember(consumer.groupMetadata());
    }

    @Override
    public boolean isRebalancing() {
        return membership.isRebalancing();
    }

    @Override
    public void leave(Duration atMost) {
        close(GroupMembershipOperation.LEAVE_GROUP, atMost);
    }

    /** {@inheritDoc} The listener is not called: nothing changes hands. */
    @Override
    public void close() {
        if (!closing) {
            closing = true;
            close(GroupMembershipOperation.REMAIN_IN_GROUP, Duration.ofSeconds(1));
        }
    }

    private void close(GroupMembershipOperation operation, Duration atMost) {
        asking(operation == GroupMembershipOperation.LEAVE_GROUP ? "leave the group" : "close", () -> {
            consumer.close(CloseOptions.groupMembershipOperation(operation).withTimeout(atMost));
            return "closed";
        });
        closing = true;
    }

    private <T> T asking(String doing, Supplier<T> call) {
        try {
            return call.get();
        } catch (OffsetOutOfRangeException e) {
            throw outOfRange(e);
        } catch (RuntimeException e) {
            throw failed(doing, e);
        }
    }

    private WeirException failed(String doing, RuntimeException error) {
        var failure = listenerFailure;
        listenerFailure = null;
        return failure != null
                ? failure
                : ClientErrors.of(doing + " as " + settings.memberInstance() + " in group " + settings.group(), error);
    }

    private StoppedException outOfRange(OffsetOutOfRangeException error) {
        var places = new ArrayList<String>();
        error.offsetOutOfRangePartitions().forEach((partition, offset) -> {
            var one = List.of(partition);
            places.add(partition + " at " + offset + ", the log has "
                    + ask(() -> consumer.beginningOffsets(one).get(partition)) + " to "
                    + ask(() -> consumer.endOffsets(one).get(partition)));
        });
        return new StoppedException(
                "Cannot read on in group " + settings.group() + ": records were deleted before they were read ("
                        + String.join("; ", places)
                        + "). Restore the domain to a checkpoint whose positions are still there, or, to give the"
                        + " missing records up, set the group's positions by restoring with new start positions",
                error);
    }

    private static String ask(Supplier<@Nullable Long> offset) {
        try {
            return String.valueOf(offset.get());
        } catch (RuntimeException unknown) {
            return "?";
        }
    }

    private final class Callbacks implements ConsumerRebalanceListener {

        @Override
        public void onPartitionsAssigned(Collection<org.apache.kafka.common.TopicPartition> partitions) {
            if (!partitions.isEmpty()) {
                consumer.pause(partitions);
                partitions.forEach(partition -> consumer.seek(partition, PLACEHOLDER));
                tell(() -> listener.onAssigned(Topics.fromClient(partitions)));
            }
        }

        @Override
        public void onPartitionsRevoked(Collection<org.apache.kafka.common.TopicPartition> partitions) {
            if (!partitions.isEmpty() && !closing) {
                membership.revoked();
                tell(() -> listener.onRevoked(Topics.fromClient(partitions)));
            }
        }

        @Override
        public void onPartitionsLost(Collection<org.apache.kafka.common.TopicPartition> partitions) {
            if (!partitions.isEmpty() && !closing) {
                tell(() -> listener.onLost(Topics.fromClient(partitions)));
            }
        }

        /** The client wraps what a callback throws; it must come out of the poll as it was. */
        private void tell(Runnable call) {
            try {
                call.run();
            } catch (WeirException e) {
                listenerFailure = e;
                throw e;
            }
        }
    }
}
