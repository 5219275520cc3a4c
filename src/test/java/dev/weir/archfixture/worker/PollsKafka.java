package dev.weir.archfixture.worker;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.serialization.Serde;

record PollsKafka(Consumer<?, ?> consumer, Serde<?> serde) {}
