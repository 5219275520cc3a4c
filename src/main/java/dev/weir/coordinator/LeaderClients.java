package dev.weir.coordinator;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.Marker;
import dev.weir.coordinator.CoordinatorSettings.MarkerMode;
import dev.weir.coordinator.CoordinatorSettings.SourceTopic;
import dev.weir.failure.TransientException;
import dev.weir.kafka.ControlWriter;
import dev.weir.kafka.KafkaCluster;
import dev.weir.kafka.MarkerWriter;
import dev.weir.topology.TopicPartition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a leader writes with. Used by one lane of background work only, and by nobody else before that has ended. */
final class LeaderClients implements AutoCloseable {

    private final KafkaCluster cluster;
    private final String domain;
    private final Set<String> byOffset;
    private @Nullable ControlWriter writer;
    private @Nullable MarkerWriter markers;

    LeaderClients(KafkaCluster cluster, CoordinatorSettings settings) {
        this.cluster = cluster;
        this.domain = settings.domain();
        this.byOffset = settings.sources().stream()
                .filter(source -> source.mode() == MarkerMode.BY_OFFSET)
                .map(SourceTopic::topic)
                .collect(Collectors.toSet());
    }

    /** Opens the leader's writer anew. */
    void open() {
        close();
        writer = cluster.openLeaderWriter();
    }

    /** Writes the records in one transaction; after any failure the writer must be opened anew. */
    void append(List<ControlRecord.Decided> records) {
        if (writer == null) {
            throw new TransientException(
                    "Cannot write " + records.size() + " control records: the leader's writer is not open; open it");
        }
        try {
            writer.append(records);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Sets the barriers of a checkpoint in all the partitions and returns where they are. */
    Map<TopicPartition, Long> place(Decision.Inject wanted) {
        var inBand = wanted.partitions().stream()
                .filter(partition -> !byOffset.contains(partition.topic()))
                .collect(Collectors.toUnmodifiableSet());
        var atEnds = wanted.partitions().stream()
                .filter(partition -> byOffset.contains(partition.topic()))
                .collect(Collectors.toUnmodifiableSet());
        var offsets = new HashMap<TopicPartition, Long>();
        if (!inBand.isEmpty()) {
            offsets.putAll(
                    write(new Marker(domain, cluster.clusterId(), wanted.incarnation(), wanted.checkpoint()), inBand));
        }
        if (!atEnds.isEmpty()) {
            offsets.putAll(cluster.endOffsets(atEnds));
        }
        if (!offsets.keySet().equals(wanted.partitions())) {
            throw new TransientException("Cannot set the barriers of checkpoint " + wanted.checkpoint() + " in all of "
                    + wanted.partitions().size() + " partitions: only " + offsets.size()
                    + " answered; the next checkpoint tries again");
        }
        return Map.copyOf(offsets);
    }

    private Map<TopicPartition, Long> write(Marker marker, Set<TopicPartition> partitions) {
        var open = markers;
        if (open == null) {
            open = cluster.openMarkerWriter();
            markers = open;
        }
        try {
            return open.write(marker, partitions);
        } catch (RuntimeException e) {
            markers = null;
            open.close();
            throw e;
        }
    }

    @Override
    public void close() {
        var openWriter = writer;
        var openMarkers = markers;
        writer = null;
        markers = null;
        try (openWriter;
                openMarkers) {
            // Both are closed, even if one of them fails to.
        }
    }
}
