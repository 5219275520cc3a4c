package dev.weir.archfixture.metrics;

import io.micrometer.core.instrument.Counter;

record Counts(Counter counter) {}
