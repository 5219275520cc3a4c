package dev.weir.kafka;

import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/**
 * Makes Kafka's clients from complete properties. What it returns must be new and belong to the caller alone: no pooled or cached
 * clients, since closing them must really close them.
 */
public record Clients(
        Function<Map<String, Object>, Consumer<byte[], byte[]>> consumers,
        Function<Map<String, Object>, Producer<byte[], byte[]>> producers,
        Function<Map<String, Object>, Admin> admins) {

    /** Kafka's own clients. */
    public static Clients direct() {
        return new Clients(KafkaConsumer::new, KafkaProducer::new, Admin::create);
    }
}
