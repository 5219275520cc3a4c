package dev.weir.testkit;

import dev.weir.kafka.CommittedPosition;

/** A position and where in the order of all commits it was written; of two for one partition the later one counts. */
record CommittedAt(CommittedPosition position, long order) {}
