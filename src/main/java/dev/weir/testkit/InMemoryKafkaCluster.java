package dev.weir.testkit;

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
import dev.weir.testkit.FaultPlan.Fault;
import dev.weir.testkit.InMemorySink.Outbox;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** One process's clients of an {@link InMemoryKafka}, for one domain. They live and die together. */
public final class InMemoryKafkaCluster implements KafkaCluster {

    private final InMemoryKafka kafka;
    private final String domain;
    private final Hazards hazards;
    private final List<InMemorySource> sources = new ArrayList<>();
    private final List<InMemoryLeadership> candidates = new ArrayList<>();
    private final List<InMemorySink> sinks = new ArrayList<>();
    private boolean alive = true;
    private boolean frozen;

    InMemoryKafkaCluster(InMemoryKafka kafka, String domain, Hazards hazards) {
        this.kafka = kafka;
        this.domain = domain;
        this.hazards = hazards;
    }

    /**
     * The process dies: nothing of it has any effect any more, but for what is on its way already. The brokers notice when its sessions
     * and transactions time out.
     */
    public void kill() {
        if (alive) {
            alive = false;
            List.copyOf(sinks).forEach(InMemorySink::abandon);
            sinks.clear();
            sources.clear();
            candidates.clear();
            kafka.disconnect(this);
        }
    }

    /** The process stands still: no heartbeats, nothing is sent. */
    public void freeze() {
        frozen = true;
        sinks.forEach(InMemorySink::hold);
    }

    /** Ends {@link #freeze}. */
    public void thaw() {
        frozen = false;
        sinks.forEach(InMemorySink::release);
    }

    void beat() {
        if (alive && !frozen) {
            sources.forEach(InMemorySource::beat);
            candidates.forEach(InMemoryLeadership::beat);
        }
    }

    void checkAlive() {
        if (!alive) {
            throw new SimulatedCrash(hazards.process());
        }
    }

    /** To be called at the beginning of every call to a broker; it may be refused. */
    void call(String what) {
        checkAlive();
        hazards.reach(what);
        if (hazards.happens(Fault.BROKER_REFUSES)) {
            throw new TransientException("Cannot " + what + ": no broker answers, try again");
        }
    }

    boolean happens(Fault fault) {
        return hazards.happens(fault);
    }

    void reach(String point) {
        hazards.reach(point);
        checkAlive();
    }

    InMemoryKafka kafka() {
        return kafka;
    }

    String domain() {
        return domain;
    }

    boolean isAlive() {
        return alive;
    }

    void forget(InMemorySource source) {
        sources.remove(source);
    }

    void forget(InMemorySink sink) {
        sinks.remove(sink);
    }

    void forget(InMemoryLeadership candidate) {
        candidates.remove(candidate);
    }

    @Override
    public String clusterId() {
        return kafka.clusterId();
    }

    @Override
    public Map<String, TopicDescription> describeTopics(Collection<String> topics) {
        call("describe topics");
        Map<String, TopicDescription> described = new TreeMap<>();
        for (String topic : topics) {
            String id = kafka.topicId(topic);
            if (id != null) {
                described.put(topic, new TopicDescription(topic, kafka.partitionsOf(topic), id, kafka.cleanup(topic)));
            }
        }
        return described;
    }

    @Override
    public Source openSource(SourceSettings settings, PartitionListener listener) {
        checkAlive();
        var source = new InMemorySource(this, settings, listener);
        sources.add(source);
        return source;
    }

    @Override
    public TransactionalSink openSink(String transactionalId) {
        call("open the producer " + transactionalId);
        Outbox outbox;
        synchronized (kafka) {
            outbox = kafka.openOutbox(transactionalId);
        }
        var sink = new InMemorySink(this, outbox);
        sinks.add(sink);
        hazards.reach("producer opened");
        return sink;
    }

    @Override
    public ControlReader openControlReader() {
        call("read the control topic");
        return new InMemoryControl.Reader(this);
    }

    @Override
    public ControlWriter openControlWriter() {
        checkAlive();
        return new InMemoryControl.Writer(this);
    }

    @Override
    public ControlWriter openLeaderWriter() {
        call("open the leader's writer");
        return new InMemoryControl.LeaderWriter(this);
    }

    @Override
    public Leadership openLeadership() {
        checkAlive();
        var candidate = new InMemoryLeadership(this);
        candidates.add(candidate);
        return candidate;
    }

    @Override
    public MarkerWriter openMarkerWriter() {
        checkAlive();
        return new InMemoryControl.Markers(this);
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Set<TopicPartition> partitions) {
        return offsets("read end offsets", partitions, PartitionLog::end);
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Set<TopicPartition> partitions) {
        return offsets("read beginning offsets", partitions, PartitionLog::start);
    }

    @Override
    public Map<TopicPartition, Long> offsetsAt(Set<TopicPartition> partitions, long timestampMillis) {
        return offsets("look up offsets by time", partitions, log -> log.offsetAt(timestampMillis));
    }

    private Map<TopicPartition, Long> offsets(
            String what, Set<TopicPartition> partitions, ToLongFunction<PartitionLog> offset) {
        call(what);
        synchronized (kafka) {
            Map<TopicPartition, Long> offsets = new TreeMap<>();
            partitions.forEach(partition -> offsets.put(partition, offset.applyAsLong(kafka.log(partition))));
            return offsets;
        }
    }

    @Override
    public Map<TopicPartition, CommittedPosition> committed(String group, Set<TopicPartition> partitions) {
        call("read positions of the group " + group);
        synchronized (kafka) {
            var groups = kafka.groups();
            var known = groups.group(group);
            if (groups.isUnstable(known, partitions)) {
                if (kafka.isKind() || kafka.random().nextBoolean()) {
                    kafka.transactions().finishThoseOf(group);
                }
                if (groups.isUnstable(known, partitions)) {
                    throw new TransientException("Cannot read positions of the group " + group
                            + ": a transaction that holds some is still pending, try again");
                }
            }
            Map<TopicPartition, CommittedPosition> positions = new TreeMap<>();
            groups.positions(known).forEach((partition, position) -> {
                if (partitions.contains(partition)) {
                    positions.put(partition, position);
                }
            });
            return positions;
        }
    }

    @Override
    public Set<String> memberInstances(String group) {
        call("list members of the group " + group);
        synchronized (kafka) {
            return kafka.groups().instances(kafka.groups().group(group));
        }
    }

    @Override
    public void fence(List<String> transactionalIds) {
        for (String id : transactionalIds) {
            call("fence the producer " + id);
            synchronized (kafka) {
                kafka.transactions().open(id, true);
            }
        }
    }

    @Override
    public void trimControl(long belowOffset) {
        call("trim the control topic");
        synchronized (kafka) {
            kafka.controlLog(domain).deleteBelow(belowOffset);
        }
    }

    /** Closes what is open as each of them would be closed. */
    @Override
    public void close() {
        if (alive) {
            List.copyOf(sinks).forEach(InMemorySink::close);
            List.copyOf(sources).forEach(InMemorySource::close);
            List.copyOf(candidates).forEach(InMemoryLeadership::close);
            kafka.disconnect(this);
        }
    }

    /** What may befall the calls of one process. */
    interface Hazards {

        /** Nothing ever happens. */
        Hazards NONE = new Hazards() {
            @Override
            public boolean happens(FaultPlan.Fault fault) {
                return false;
            }

            @Override
            public void reach(String point) {}

            @Override
            public String process() {
                return "test";
            }
        };

        /** Whether the fault happens on this occasion. */
        boolean happens(FaultPlan.Fault fault);

        /** The process has come to a point between two effects; it may be killed or stand still here. */
        void reach(String point);

        /** The process's name. */
        String process();
    }
}
