package dev.weir.archfixture.example;

import org.apache.kafka.clients.consumer.Consumer;

record PollsKafka(Consumer<?, ?> consumer) {}
