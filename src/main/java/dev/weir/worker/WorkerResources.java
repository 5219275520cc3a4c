package dev.weir.worker;

import dev.weir.kafka.KafkaCluster;
import dev.weir.snapshot.BaseUploader;
import dev.weir.snapshot.ObjectStore;
import dev.weir.snapshot.Restorer;
import dev.weir.snapshot.SnapshotStore;
import dev.weir.state.StateBackend;
import dev.weir.time.Clock;
import dev.weir.time.Tokens;

/** What the workers of one process work with; all of it may be shared by threads. */
public record WorkerResources(
        KafkaCluster cluster,
        ObjectStore objects,
        SnapshotStore snapshots,
        Restorer restorer,
        BaseUploader uploader,
        StateBackend backend,
        Clock clock,
        Tokens tokens,
        WorkerListener listener) {}
