package dev.weir.kafka;

import dev.weir.barrier.ControlCodec;
import dev.weir.barrier.ControlRecord;
import dev.weir.failure.TransientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Appends to the control topic with an idempotent producer. After a failure the first few may be written. */
final class PlainControlWriter implements ControlWriter {

    private final Producer<byte[], byte[]> producer;
    private final String topic;

    PlainControlWriter(Producer<byte[], byte[]> producer, String topic) {
        this.producer = producer;
        this.topic = topic;
    }

    @Override
    public void append(List<? extends ControlRecord> records) {
        var sent = new ArrayList<Future<RecordMetadata>>();
        try {
            records.forEach(record ->
                    sent.add(producer.send(new ProducerRecord<>(topic, 0, null, ControlCodec.encode(record)))));
            producer.flush();
            for (var each : sent) {
                each.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TransientException("Cannot write to " + topic + ": interrupted; it can be tried again", e);
        } catch (ExecutionException | RuntimeException e) {
            throw ClientErrors.of("write to " + topic, e);
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ZERO);
    }
}
