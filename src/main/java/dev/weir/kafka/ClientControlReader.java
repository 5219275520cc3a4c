package dev.weir.kafka;

import dev.weir.barrier.ControlCodec;
import dev.weir.failure.StoppedException;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;

/** Reads the control topic with a consumer that is in no group. */
final class ClientControlReader implements ControlReader {

    private final Consumer<byte[], byte[]> consumer;
    private final TopicPartition partition;
    private final LongSupplier begin;
    private final LongSupplier end;
    private ControlReplay replay;
    private long lookUntil;

    ClientControlReader(
            Consumer<byte[], byte[]> consumer, TopicPartition partition, LongSupplier begin, LongSupplier end) {
        this.consumer = consumer;
        this.partition = partition;
        this.begin = begin;
        this.end = end;
        consumer.assign(List.of(Topics.toClient(partition)));
        this.replay = fromBeginning();
    }

    private ControlReplay fromBeginning() {
        long first = begin.getAsLong();
        lookUntil = end.getAsLong();
        consumer.seek(Topics.toClient(partition), first);
        return new ControlReplay(partition.topic(), first);
    }

    @Override
    public List<Positioned> poll(Duration atMost) {
        try {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(atMost)) {
                var decoded = record.value() == null ? null : ControlCodec.decode(record.value());
                if (decoded != null) {
                    replay.accept(record.offset(), decoded);
                }
            }
        } catch (OffsetOutOfRangeException e) {
            goOnAfterTrim(e);
        } catch (RuntimeException e) {
            throw ClientErrors.of("read " + partition.topic(), e);
        }
        if (replay.isLooking() && position() >= lookUntil) {
            replay.endReached();
        }
        return replay.take();
    }

    private void goOnAfterTrim(OffsetOutOfRangeException error) {
        long position = position();
        if (position >= begin.getAsLong()) {
            throw new StoppedException(
                    "Cannot read the control topic " + partition.topic() + ": it ends before offset " + position
                            + ", which has been read already; it was deleted and created anew, or a broker lost its data."
                            + " Restore the domain to its last complete checkpoint",
                    error);
        }
        replay = fromBeginning();
    }

    @Override
    public boolean isAtEnd() {
        // Open transactions are part of what is on the topic: their records come when they are committed.
        return !replay.isLooking() && position() >= end.getAsLong();
    }

    private long position() {
        try {
            return consumer.position(Topics.toClient(partition));
        } catch (RuntimeException e) {
            throw ClientErrors.of("find the position in " + partition, e);
        }
    }

    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
    }
}
