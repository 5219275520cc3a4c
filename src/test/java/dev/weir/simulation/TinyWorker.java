package dev.weir.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.api.Headers;
import dev.weir.failure.FencedException;
import dev.weir.failure.WeirException;
import dev.weir.kafka.CommittedPosition;
import dev.weir.kafka.KafkaCluster;
import dev.weir.kafka.KafkaCluster.SourceSettings;
import dev.weir.kafka.Output;
import dev.weir.kafka.PartitionListener;
import dev.weir.kafka.Records;
import dev.weir.kafka.Source;
import dev.weir.kafka.TransactionalSink;
import dev.weir.kafka.TransactionalSink.CommitOutcome;
import dev.weir.simulation.Workload.Item;
import dev.weir.simulation.Workload.Total;
import dev.weir.time.Background;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The smallest right worker: totals by key, kept whole in the metadata of the positions; one transaction after the other. */
final class TinyWorker implements PartitionListener {

    private static final int RECORDS_PER_COMMIT = 6;
    private static final String LANE = "io";

    private final KafkaCluster cluster;
    private final Background background;
    private final String group;
    private final String transactionalId;
    private final String output;
    private final Source source;
    private final Map<TopicPartition, Part> ready = new TreeMap<>();
    private final Set<TopicPartition> loading = new TreeSet<>();
    private @Nullable TransactionalSink sink;
    private boolean begun;
    private boolean committing;
    private boolean broken;
    private boolean stopped;
    private int uncommitted;
    private int life;

    TinyWorker(
            KafkaCluster cluster, Background background, String group, String instance, String input, String output) {
        this.cluster = cluster;
        this.background = background;
        this.group = group;
        this.transactionalId = group + "." + instance;
        this.output = output;
        this.source = cluster.openSource(new SourceSettings(group, instance, List.of(input), Set.of()), this);
    }

    private static final class Part {
        private long position;
        private final Map<String, Long> totals = new TreeMap<>();

        String encoded() {
            var text = new StringBuilder();
            totals.forEach(
                    (key, total) -> text.append(key).append('=').append(total).append(';'));
            return text.toString();
        }
    }

    boolean isRunnable() {
        return !stopped;
    }

    void step() {
        try {
            background.deliver();
            if (broken) {
                recover();
            }
            for (var batch : source.poll(Duration.ZERO)) {
                process(batch);
            }
            if (uncommitted >= RECORDS_PER_COMMIT && !committing && !broken) {
                commit();
            }
        } catch (FencedException fenced) {
            stopped = true;
        } catch (WeirException e) {
            broken = true;
        }
    }

    private void recover() {
        if (committing) {
            return;
        }
        closeSink();
        sink = cluster.openSink(transactionalId);
        broken = false;
        load(source.owned());
    }

    private void closeSink() {
        if (sink != null) {
            sink.close();
            sink = null;
        }
        begun = false;
        uncommitted = 0;
    }

    private void load(Set<TopicPartition> partitions) {
        life++;
        int mine = life;
        ready.clear();
        loading.clear();
        loading.addAll(source.owned());
        source.pause(source.owned());
        var wanted = Set.copyOf(new TreeSet<>(loading));
        background.submit(
                LANE,
                cancellation -> cluster.committed(group, wanted),
                positions -> {
                    if (life == mine) {
                        loaded(positions);
                    }
                },
                failed -> {
                    if (life == mine) {
                        load(partitions);
                    }
                });
    }

    private void loaded(Map<TopicPartition, CommittedPosition> positions) {
        for (var partition : loading) {
            var part = new Part();
            var committed = positions.get(partition);
            if (committed != null) {
                part.position = committed.offset();
                for (String entry : committed.metadata().split(";")) {
                    int equals = entry.indexOf('=');
                    if (equals > 0) {
                        part.totals.put(entry.substring(0, equals), Long.parseLong(entry.substring(equals + 1)));
                    }
                }
            }
            ready.put(partition, part);
            source.seek(partition, part.position);
            source.resume(Set.of(partition));
        }
        loading.clear();
    }

    private void process(Records batch) {
        var part = ready.get(batch.partition());
        if (part == null || broken || committing) {
            source.seek(batch.partition(), part == null ? batch.offset(0) : part.position);
            return;
        }
        for (int i = 0; i < batch.size(); i++) {
            if (batch.marker(i) == null) {
                process(part, batch, i);
            }
        }
        part.position = batch.nextOffset();
    }

    private void process(Part part, Records batch, int index) {
        var to = beginning();
        var item = Item.parse(Objects.requireNonNull(batch.value(index)));
        long total = part.totals.merge(item.key(), item.delta(), Long::sum);
        var result = new Total(batch.partition().partition(), batch.offset(index), item.key(), total);
        to.send(new Output(output, item.key().getBytes(UTF_8), result.bytes(), Headers.none(), -1));
        uncommitted++;
    }

    private TransactionalSink beginning() {
        var to = Objects.requireNonNull(sink);
        if (!begun) {
            to.begin();
            begun = true;
        }
        return to;
    }

    private void commit() {
        var to = beginning();
        to.flush();
        Map<TopicPartition, CommittedPosition> positions = new TreeMap<>();
        ready.forEach(
                (partition, part) -> positions.put(partition, new CommittedPosition(part.position, part.encoded())));
        var member = source.member();
        committing = true;
        background.submit(LANE, cancellation -> to.commit(positions, member), this::committed, failed -> {
            committing = false;
            broken = true;
        });
    }

    private void committed(CommitOutcome outcome) {
        committing = false;
        if (outcome instanceof CommitOutcome.Committed) {
            begun = false;
            uncommitted = 0;
        } else {
            broken = true;
        }
    }

    @Override
    public void onAssigned(Set<TopicPartition> partitions) {
        if (uncommitted > 0 || committing || sink == null) {
            broken = true;
        } else {
            load(partitions);
        }
    }

    @Override
    public void onRevoked(Set<TopicPartition> partitions) {
        try {
            resolve();
            if (uncommitted > 0 && !broken) {
                commit();
                resolve();
            }
        } catch (WeirException e) {
            broken = true;
        }
        if (uncommitted > 0 || committing) {
            broken = true;
            closeSink();
        }
        drop(partitions);
    }

    private void resolve() {
        for (int i = 0; i < 20 && committing; i++) {
            background.await(Duration.ofMillis(100));
        }
    }

    @Override
    public void onLost(Set<TopicPartition> partitions) {
        broken = true;
        drop(partitions);
    }

    private void drop(Set<TopicPartition> partitions) {
        new ArrayList<>(partitions).forEach(partition -> {
            ready.remove(partition);
            loading.remove(partition);
        });
    }
}
