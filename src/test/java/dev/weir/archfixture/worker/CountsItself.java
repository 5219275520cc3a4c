package dev.weir.archfixture.worker;

import io.micrometer.core.instrument.Counter;

record CountsItself(Counter counter) {}
