package dev.weir.archfixture.codec;

import org.apache.kafka.common.serialization.Serde;

record ReadsSerde(Serde<?> serde) {}
