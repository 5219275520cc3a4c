package dev.weir.worker.commit;

import dev.weir.barrier.ManifestRef;
import dev.weir.kafka.CommittedPosition;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.snapshot.Pointer;
import dev.weir.topology.TopicPartition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What stands in the object store of an epoch: its manifest, and what that says of each task. */
public record Durable(ManifestRef manifest, List<TaskSnapshot> snapshots, long deltaBytes) {

    /** The positions that the epoch's transaction commits, each with the pointer to this. */
    public Map<TopicPartition, CommittedPosition> positions(String slot, long incarnation) {
        var positions = new LinkedHashMap<TopicPartition, CommittedPosition>();
        for (var snapshot : snapshots) {
            var pointer = new Pointer(snapshot.epoch(), incarnation, slot, manifest).encode();
            snapshot.positions()
                    .forEach((partition, offset) -> positions.put(partition, new CommittedPosition(offset, pointer)));
        }
        return positions;
    }
}
