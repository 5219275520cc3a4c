package dev.weir.kafka;

import dev.weir.barrier.ControlCodec;
import dev.weir.barrier.ControlRecord;
import dev.weir.failure.UnknownOutcomeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Appends to the control topic, each time in one transaction. After any failure it is of no use: open another one. */
final class LeaderControlWriter implements ControlWriter {

    private final Producer<byte[], byte[]> producer;
    private final String topic;

    LeaderControlWriter(Producer<byte[], byte[]> producer, String topic) {
        this.producer = producer;
        this.topic = topic;
    }

    @Override
    public void append(List<? extends ControlRecord> records) {
        if (records.isEmpty()) {
            return;
        }
        var sent = new ArrayList<Future<RecordMetadata>>();
        try {
            producer.beginTransaction();
            records.forEach(record ->
                    sent.add(producer.send(new ProducerRecord<>(topic, 0, null, ControlCodec.encode(record)))));
            producer.flush();
            for (var each : sent) {
                each.get();
            }
        } catch (Exception e) {
            throw ClientErrors.of("write decisions to " + topic, e);
        }
        try {
            producer.commitTransaction();
        } catch (RuntimeException e) {
            var cause = ClientErrors.unwrap(e);
            if (ClientErrors.isFenced(cause)) {
                throw ClientErrors.of("commit decisions to " + topic, cause);
            }
            throw new UnknownOutcomeException(
                    "Cannot tell whether decisions were written to " + topic + ": " + ClientErrors.reason(cause)
                            + "; open another leader's writer and read the topic",
                    e);
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ZERO);
    }
}
