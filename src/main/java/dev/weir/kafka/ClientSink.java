package dev.weir.kafka;

import dev.weir.failure.ConfigurationException;
import dev.weir.time.Clock;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/** A transactional producer of Kafka's client whose transactions have been initialised. */
final class ClientSink implements TransactionalSink {

    private final Producer<byte[], byte[]> producer;
    private final String transactionalId;
    private final int maxRecordBytes;
    private final Duration commitDeadline;
    private final Clock clock;
    /** Written by the producer's own thread. */
    private volatile @Nullable Exception failure;

    private final Callback onSent = (metadata, error) -> {
        if (error != null && failure == null) {
            failure = error;
        }
    };

    ClientSink(
            Producer<byte[], byte[]> producer,
            String transactionalId,
            int maxRecordBytes,
            Duration commitDeadline,
            Clock clock) {
        this.producer = producer;
        this.transactionalId = transactionalId;
        this.maxRecordBytes = maxRecordBytes;
        this.commitDeadline = commitDeadline;
        this.clock = clock;
    }

    @Override
    public void begin() {
        try {
            producer.beginTransaction();
        } catch (RuntimeException e) {
            throw ClientErrors.of("begin a transaction of " + transactionalId, e);
        }
    }

    @Override
    public int maxRecordBytes() {
        return maxRecordBytes;
    }

    @Override
    public void send(Output output) {
        int size = output.sizeBound();
        if (size > maxRecordBytes) {
            throw new ConfigurationException("Cannot send a record to " + output.topic() + ": it has up to " + size
                    + " bytes and " + maxRecordBytes + " are allowed; raise the producer's max.request.size and the"
                    + " topic's max.message.bytes, or send less");
        }
        try {
            // The outcome is seen by the callback, and asked for at the flush.
            var unused = producer.send(record(output), onSent);
        } catch (RuntimeException e) {
            if (failure == null) {
                failure = e;
            }
            throw ClientErrors.of("send to " + output.topic() + " as " + transactionalId, e);
        }
    }

    @Override
    public void flush() {
        try {
            producer.flush();
        } catch (RuntimeException e) {
            throw ClientErrors.of("flush " + transactionalId, e);
        }
        var failed = failure;
        if (failed != null) {
            throw ClientErrors.of("write the records of " + transactionalId, failed);
        }
    }

    @Override
    public CommitOutcome commit(Map<TopicPartition, CommittedPosition> positions, GroupMember member) {
        if (positions.isEmpty()) {
            throw new IllegalArgumentException("a commit without positions would not be fenced by the group");
        }
        if (!(member instanceof ClientGroupMember known) || known.generation() < 0) {
            return new CommitOutcome.NotCommitted("this process is no member of the group now");
        }
        var failed = failure;
        if (failed != null) {
            return new CommitOutcome.NotCommitted("a record could not be written: " + ClientErrors.reason(failed));
        }
        var offsets = new HashMap<org.apache.kafka.common.TopicPartition, OffsetAndMetadata>();
        positions.forEach((partition, position) ->
                offsets.put(Topics.toClient(partition), new OffsetAndMetadata(position.offset(), position.metadata())));
        try {
            producer.sendOffsetsToTransaction(offsets, known.metadata());
        } catch (RuntimeException e) {
            // The request to end the transaction has not been made.
            return new CommitOutcome.NotCommitted(
                    "the positions were not accepted: " + ClientErrors.reason(ClientErrors.unwrap(e)));
        }
        return end();
    }

    private CommitOutcome end() {
        long deadline = clock.nanos() + commitDeadline.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    producer.commitTransaction();
                    return new CommitOutcome.Committed();
                } catch (RuntimeException e) {
                    var cause = ClientErrors.unwrap(e);
                    if (ClientErrors.isInterrupt(cause)) {
                        interrupted |= Thread.interrupted();
                    } else if (!(cause instanceof TimeoutException)) {
                        return new CommitOutcome.Unknown("the commit failed: " + ClientErrors.reason(cause));
                    }
                    if (clock.nanos() - deadline >= 0) {
                        return new CommitOutcome.Unknown(
                                "no answer to the commit within " + commitDeadline + ": " + ClientErrors.reason(cause));
                    }
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ZERO);
    }

    private static ProducerRecord<byte[], byte[]> record(Output output) {
        RecordHeaders headers = null;
        if (!output.headers().isEmpty()) {
            headers = new RecordHeaders();
            for (var header : output.headers()) {
                headers.add(header.name(), header.value());
            }
        }
        return new ProducerRecord<>(
                output.topic(),
                null,
                output.timestamp() < 0 ? null : output.timestamp(),
                output.key(),
                output.value(),
                headers);
    }
}
