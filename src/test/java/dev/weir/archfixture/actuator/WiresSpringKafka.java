package dev.weir.archfixture.actuator;

import org.springframework.kafka.core.KafkaTemplate;

record WiresSpringKafka(KafkaTemplate<?, ?> template) {}
