package dev.weir.snapshot;

import dev.weir.barrier.DomainState.Ancestor;
import dev.weir.barrier.ManifestRef;
import dev.weir.barrier.TaskCut;
import dev.weir.snapshot.Manifest.Base;
import dev.weir.snapshot.Manifest.BaseFile;
import dev.weir.snapshot.Manifest.Delta;
import dev.weir.snapshot.Manifest.LastCut;
import dev.weir.snapshot.Manifest.Range;
import dev.weir.snapshot.Manifest.StateEntry;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.time.Clock;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.List;
import java.util.Map;

/** Values for tests. */
final class Snapshots {

    static final TaskId TASK = new TaskId("airport-delays", 3);
    static final TopicPartition FLIGHTS_3 = new TopicPartition("flights", 3);
    static final TopicPartition ALERTS_3 = new TopicPartition("alerts-eu", 3);

    private Snapshots() {}

    static Manifest manifest() {
        var cut = new LastCut(17, 41, ref("b"), false, Map.of(FLIGHTS_3, 90L, ALERTS_3, 7L));
        var base = new Base(
                39,
                List.of(new BaseFile("000012.sst", range("1", 0, 4096)), new BaseFile("CURRENT", range("2", 0, 16))));
        var deltas = List.of(new Delta(40, range("3", 0, 100)), new Delta(42, range("4", 100, 250)));
        var states = List.of(new StateEntry("totals", 1, "value", "dev.weir.example.Totals"));
        var fresh = new LastCut(17, 0, null, true, Map.of());
        return new Manifest(
                Manifest.FORMAT,
                "flights-domain",
                3,
                Map.of(2L, new Ancestor(1, 9), 3L, new Ancestor(2, 15)),
                "flights-domain.airport-delays.pod-0.1",
                1234,
                1_790_000_000_000L,
                List.of(
                        new TaskSnapshot(TASK, 42, Map.of(FLIGHTS_3, 100L, ALERTS_3, 8L), cut, base, deltas, states),
                        new TaskSnapshot(
                                new TaskId("airport-delays", 11),
                                0,
                                Map.of(new TopicPartition("flights", 11), 0L),
                                fresh,
                                null,
                                List.of(),
                                List.of())));
    }

    static CheckpointManifest checkpoint(long id, CheckpointManifest.Outcome outcome, String decidedBy) {
        boolean complete = outcome == CheckpointManifest.Outcome.COMPLETE;
        return new CheckpointManifest(
                CheckpointManifest.FORMAT,
                "flights-domain",
                id,
                3,
                Map.of(2L, new Ancestor(1, 9), 3L, new Ancestor(2, 15)),
                outcome,
                complete ? null : "task airport-delays/3 has no owner",
                1_790_000_000_000L,
                1_790_000_000_250L,
                decidedBy,
                complete ? Map.of(new TopicPartition("flights", 11), 5L, FLIGHTS_3, 90L) : Map.of(),
                complete ? List.of(new TaskCut(TASK, 42, ref("c"))) : List.of());
    }

    static ManifestRef ref(String digit) {
        return new ManifestRef("flights-domain/manifests/slot/" + digit + ".json", digit.repeat(64));
    }

    static Range range(String digit, long offset, long length) {
        var sha256 = digit.repeat(64);
        return new Range("flights-domain/objects/" + digit + digit + "/" + sha256 + "-t", offset, length, sha256);
    }

    /** A clock that stands still until it is moved. */
    static final class HandClock implements Clock {

        private long nanos;

        @Override
        public synchronized long wallMillis() {
            return nanos / 1_000_000;
        }

        @Override
        public synchronized long nanos() {
            return nanos;
        }

        synchronized void advance(java.time.Duration by) {
            nanos += by.toNanos();
        }
    }
}
