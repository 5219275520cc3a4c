package dev.weir.coordinator;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.Marker;
import dev.weir.failure.FencedException;
import dev.weir.failure.StoppedException;
import dev.weir.failure.TransientException;
import dev.weir.kafka.CommittedPosition;
import dev.weir.kafka.ControlReader;
import dev.weir.kafka.ControlWriter;
import dev.weir.kafka.KafkaCluster;
import dev.weir.kafka.Leadership;
import dev.weir.kafka.MarkerWriter;
import dev.weir.kafka.PartitionListener;
import dev.weir.kafka.Source;
import dev.weir.kafka.TransactionalSink;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a coordinator needs of a cluster, in memory; its faults are fields. */
final class FakeCluster implements KafkaCluster {

    final List<ControlRecord> topic = new ArrayList<>();
    final Map<TopicPartition, List<Marker>> markers = new HashMap<>();
    final Map<String, Integer> partitions = new HashMap<>(Map.of("orders", 2, "prices", 1));
    final Set<String> members = new HashSet<>();
    final List<String> fenced = new ArrayList<>();
    boolean leader = true;
    boolean markersFail;
    boolean appendsTakeEffectAndFail;
    boolean controlFails;
    boolean readersAreOutOfRange;
    int writersOpen;
    int era;
    long trimmedBelow;
    int leadershipsClosed;
    Runnable onLook = () -> {};

    @Nullable
    RuntimeException electionFailure;

    @Override
    public String clusterId() {
        return "cluster-1";
    }

    @Override
    public Map<String, TopicDescription> describeTopics(Collection<String> topics) {
        return topics.stream()
                .filter(partitions::containsKey)
                .collect(Collectors.toMap(
                        topic -> topic,
                        topic -> new TopicDescription(topic, partitions.getOrDefault(topic, 0), "id", Set.of())));
    }

    @Override
    public ControlReader openControlReader() {
        return new ControlReader() {
            private int next;

            @Override
            public List<Positioned> poll(Duration atMost) {
                if (controlFails) {
                    throw new TransientException("no broker");
                }
                if (readersAreOutOfRange) {
                    readersAreOutOfRange = false;
                    throw new StoppedException("out of range");
                }
                var found = new ArrayList<Positioned>();
                while (next < topic.size() && found.size() < 3) {
                    found.add(new Positioned(next, topic.get(next++)));
                }
                return found;
            }

            @Override
            public boolean isAtEnd() {
                return next == topic.size();
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public ControlWriter openLeaderWriter() {
        int mine = ++era;
        writersOpen++;
        return new ControlWriter() {
            @Override
            public void append(List<? extends ControlRecord> records) {
                if (mine != era) {
                    throw new FencedException("another leader writes");
                }
                topic.addAll(records);
                if (appendsTakeEffectAndFail) {
                    appendsTakeEffectAndFail = false;
                    throw new TransientException("timed out");
                }
            }

            @Override
            public void close() {
                writersOpen--;
            }
        };
    }

    @Override
    public Leadership openLeadership() {
        return new Leadership() {
            @Override
            public void poll(Duration atMost) {
                if (electionFailure != null) {
                    throw electionFailure;
                }
            }

            @Override
            public boolean isLeader() {
                return leader;
            }

            @Override
            public void close() {
                leadershipsClosed++;
            }
        };
    }

    @Override
    public MarkerWriter openMarkerWriter() {
        return new MarkerWriter() {
            @Override
            public Map<TopicPartition, Long> write(Marker marker, Set<TopicPartition> into) {
                if (markersFail) {
                    throw new TransientException("no broker");
                }
                var offsets = new HashMap<TopicPartition, Long>();
                for (var partition : into) {
                    var log = markers.computeIfAbsent(partition, p -> new ArrayList<>());
                    offsets.put(partition, (long) log.size());
                    log.add(marker);
                }
                return offsets;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Set<TopicPartition> of) {
        return of.stream().collect(Collectors.toMap(partition -> partition, partition -> 100L));
    }

    @Override
    public Set<String> memberInstances(String group) {
        onLook.run();
        return Set.copyOf(members);
    }

    @Override
    public void fence(List<String> transactionalIds) {
        fenced.addAll(transactionalIds);
    }

    @Override
    public void trimControl(long belowOffset) {
        trimmedBelow = belowOffset;
    }

    @Override
    public void close() {}

    @Override
    public Source openSource(SourceSettings settings, PartitionListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public TransactionalSink openSink(String transactionalId) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ControlWriter openControlWriter() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Set<TopicPartition> of) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<TopicPartition, Long> offsetsAt(Set<TopicPartition> of, long timestampMillis) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<TopicPartition, CommittedPosition> committed(String group, Set<TopicPartition> of) {
        throw new UnsupportedOperationException();
    }
}
