package dev.weir.simulation;

import dev.weir.api.Headers;
import dev.weir.barrier.Marker;
import dev.weir.fixture.ForwardingSource;
import dev.weir.kafka.KafkaCluster;
import dev.weir.kafka.KafkaCluster.SourceSettings;
import dev.weir.kafka.PartitionListener;
import dev.weir.kafka.Records;
import dev.weir.kafka.Source;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A source that tells of revocations too late, or shows markers where there are none. */
final class SabotagedSource extends ForwardingSource {

    private final LateListener listener;
    private final Sabotage sabotage;
    private final Set<TopicPartition> paused = new TreeSet<>();
    private final Map<TopicPartition, Marker> due = new TreeMap<>();
    private long lastShown;

    private SabotagedSource(Source real, LateListener listener, Sabotage sabotage) {
        super(real);
        this.listener = listener;
        this.sabotage = sabotage;
    }

    static Source open(KafkaCluster cluster, SourceSettings settings, PartitionListener listener, Sabotage sabotage) {
        var late = new LateListener(listener, sabotage);
        var source = new SabotagedSource(cluster.openSource(settings, late), late, sabotage);
        late.source = source;
        return source;
    }

    private static final class LateListener implements PartitionListener {
        private final PartitionListener real;
        private final Sabotage sabotage;
        private @Nullable SabotagedSource source;
        private final Set<TopicPartition> told = new TreeSet<>();

        private LateListener(PartitionListener real, Sabotage sabotage) {
            this.real = real;
            this.sabotage = sabotage;
        }

        @Override
        public void onAssigned(Set<TopicPartition> partitions) {
            if (source != null) {
                source.paused.addAll(partitions);
            }
            real.onAssigned(partitions);
        }

        @Override
        public void onRevoked(Set<TopicPartition> partitions) {
            if (sabotage == Sabotage.LATE_REVOKE) {
                told.addAll(partitions);
            } else {
                real.onRevoked(partitions);
            }
        }

        @Override
        public void onLost(Set<TopicPartition> partitions) {
            tell();
            real.onLost(partitions);
        }

        private void tell() {
            if (!told.isEmpty()) {
                var late = new TreeSet<>(told);
                told.clear();
                real.onRevoked(late);
            }
        }
    }

    @Override
    public List<Records> poll(Duration atMost) {
        boolean late = !listener.told.isEmpty();
        var batches = real.poll(atMost);
        if (late) {
            listener.tell();
        }
        return sabotage == Sabotage.CUT_AFTER_FIRST_MARKER ? withFalseMarkers(batches) : batches;
    }

    private List<Records> withFalseMarkers(List<Records> batches) {
        for (var batch : batches) {
            var marker = firstMarker(batch);
            if (marker != null && marker.checkpoint() > lastShown) {
                lastShown = marker.checkpoint();
                real.owned().forEach(partition -> due.put(partition, marker));
                due.remove(batch.partition());
            }
        }
        due.keySet().retainAll(real.owned());
        List<Records> shown = new ArrayList<>();
        var polled = new TreeSet<TopicPartition>();
        for (var batch : batches) {
            polled.add(batch.partition());
            var marker = due.remove(batch.partition());
            shown.add(marker == null ? batch : new WithMarker(batch.partition(), marker, batch.offset(0), batch));
        }
        for (var partition : List.copyOf(due.keySet())) {
            if (!polled.contains(partition) && !paused.contains(partition)) {
                var marker = due.remove(partition);
                if (marker != null) {
                    shown.add(new WithMarker(partition, marker, real.position(partition), null));
                }
            }
        }
        return shown;
    }

    private static @Nullable Marker firstMarker(Records batch) {
        for (int i = 0; i < batch.size(); i++) {
            var marker = batch.marker(i);
            if (marker != null) {
                return marker;
            }
        }
        return null;
    }

    /** A batch with a marker before its first record. */
    private record WithMarker(
            TopicPartition partition,
            Marker shown,
            long at,
            @Nullable Records rest) implements Records {

        private Records rest(int index) {
            if (rest == null) {
                throw new IndexOutOfBoundsException(index);
            }
            return rest;
        }

        @Override
        public int size() {
            return rest == null ? 1 : rest.size() + 1;
        }

        @Override
        public long offset(int index) {
            return index == 0 ? at - 1 : rest(index).offset(index - 1);
        }

        @Override
        public long timestamp(int index) {
            return index == 0 ? -1 : rest(index).timestamp(index - 1);
        }

        @Override
        public byte @Nullable [] key(int index) {
            return index == 0 ? new byte[] {1} : rest(index).key(index - 1);
        }

        @Override
        public byte @Nullable [] value(int index) {
            return index == 0 ? new byte[] {1} : rest(index).value(index - 1);
        }

        @Override
        public Headers headers(int index) {
            return index == 0 ? Headers.none() : rest(index).headers(index - 1);
        }

        @Override
        public @Nullable Marker marker(int index) {
            return index == 0 ? shown : rest(index).marker(index - 1);
        }

        @Override
        public long nextOffset() {
            return rest == null ? at : rest.nextOffset();
        }
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        paused.addAll(partitions);
        super.pause(partitions);
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        paused.removeAll(partitions);
        super.resume(partitions);
    }
}
