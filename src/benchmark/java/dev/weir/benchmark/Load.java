package dev.weir.benchmark;

import dev.weir.benchmark.workload.Ledger;
import dev.weir.benchmark.workload.Workload;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Sends records to an input, and keeps account of what a correct worker must make of them. */
final class Load implements AutoCloseable {

    private static final double ZIPF_EXPONENT = 0.99;

    private final String topic;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Ledger ledger;
    private final SplittableRandom amounts = new SplittableRandom(7);
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    /** To a topic; the ledger is that of what was sent to it before, and is added to. */
    Load(String bootstrap, String topic, Ledger ledger) {
        this.topic = topic;
        this.ledger = ledger;
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "batch.size", 256 << 10, "linger.ms", 5),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** Sends one record with a random amount; {@code timestamp} is null for the present. */
    void send(int id, @Nullable Long timestamp) {
        int amount = amounts.nextInt(Workload.AMOUNTS);
        ledger.add(id, amount);
        var unused = producer.send(
                new ProducerRecord<>(topic, null, timestamp, Workload.key(id), Workload.value(amount)),
                (metadata, problem) -> {
                    if (problem != null) {
                        failure.compareAndSet(null, problem);
                    }
                });
    }

    /** Sends so many records. */
    void sendAll(int records, IntSupplier ids) {
        for (int i = 0; i < records; i++) {
            send(ids.getAsInt(), null);
        }
    }

    /** Waits until all is sent. */
    @Override
    public void close() {
        producer.close();
        Exception problem = failure.get();
        if (problem != null) {
            throw new IllegalStateException("Cannot load " + topic + ": a record was not sent", problem);
        }
    }

    /** Ids below a number: {@code once} each in turn, {@code uniform} drawn evenly, {@code zipf} by Zipf's law with exponent 0.99. */
    static IntSupplier ids(String distribution, int below) {
        var random = new SplittableRandom(42);
        switch (distribution) {
            case "once" -> {
                int[] next = {0};
                return () -> next[0]++;
            }
            case "uniform" -> {
                return () -> random.nextInt(below);
            }
            case "zipf" -> {
                double[] upTo = new double[below];
                double total = 0;
                for (int i = 0; i < below; i++) {
                    total += Math.pow(i + 1, -ZIPF_EXPONENT);
                    upTo[i] = total;
                }
                double all = total;
                return () -> {
                    int at = Arrays.binarySearch(upTo, random.nextDouble() * all);
                    return Math.min(below - 1, at < 0 ? -at - 1 : at);
                };
            }
            default ->
                throw new IllegalArgumentException(
                        "Cannot draw keys by '" + distribution + "': dist is uniform, zipf or once");
        }
    }
}
