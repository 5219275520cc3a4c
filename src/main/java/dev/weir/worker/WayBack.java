package dev.weir.worker;

import dev.weir.barrier.Aligner;
import dev.weir.kafka.CommittedPosition;
import dev.weir.kafka.Source;
import dev.weir.snapshot.Pointer;
import dev.weir.time.Background;
import dev.weir.topology.TopicPartition;
import dev.weir.worker.commit.Durable;
import dev.weir.worker.commit.Sinks;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way back to what is committed, once open epochs are void: their transactions die, the group says what it has, tasks and consumer
 * return there. Owned by the thread.
 */
final class WayBack {

    private static final Logger LOG = LoggerFactory.getLogger(WayBack.class);

    private final WorkerResources resources;
    private final WorkerSettings settings;
    private final String processor;
    private final String slot;
    private final Background background;
    private final TaskTable tasks;
    private final Aligner aligner;
    private final Consumer<Task> rewound;
    private final Consumer<Task> foreign;

    /**
     * @param rewound is told of each task that went back
     * @param foreign is told of each task that somebody else has committed for
     */
    WayBack(
            WorkerResources resources,
            WorkerSettings settings,
            String processor,
            String slot,
            Background background,
            TaskTable tasks,
            Aligner aligner,
            Consumer<Task> rewound,
            Consumer<Task> foreign) {
        this.resources = resources;
        this.settings = settings;
        this.processor = processor;
        this.slot = slot;
        this.background = background;
        this.tasks = tasks;
        this.aligner = aligner;
        this.rewound = rewound;
        this.foreign = foreign;
    }

    /** New producers, and what the group has committed of the partitions that were asked for. */
    record Resolved(Sinks sinks, Set<TopicPartition> asked, Map<TopicPartition, CommittedPosition> committed) {}

    /** Ends what the old producers have left open, and finds out what the group has committed. */
    void resolve(Sinks before, String reason, Consumer<Resolved> done, Runnable failed) {
        var ids = before.newestFirst();
        var partitions = new HashSet<TopicPartition>();
        tasks.carried().forEach(task -> partitions.addAll(task.partitions));
        LOG.atWarn()
                .setMessage("Open epochs are void; going back to what is committed")
                .addKeyValue("slot", slot)
                .addKeyValue("reason", reason)
                .log();
        background.submit(
                "resolve",
                cancellation -> {
                    before.close();
                    return resolve(ids, partitions);
                },
                done,
                failure -> {
                    LOG.atWarn()
                            .setMessage("The outcome of open epochs is not known yet; trying again")
                            .addKeyValue("slot", slot)
                            .addKeyValue("reason", failure.getMessage())
                            .log();
                    failed.run();
                });
    }

    private Resolved resolve(List<String> idsNewestFirst, Set<TopicPartition> partitions) {
        var opened = Sinks.open(resources.cluster(), idsNewestFirst);
        try {
            var committed = partitions.isEmpty()
                    ? Map.<TopicPartition, CommittedPosition>of()
                    : resources.cluster().committed(settings.group(processor), partitions);
            return new Resolved(opened, partitions, committed);
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /** Whether the group's pointers name this epoch's manifest. Tasks for which they name a stranger's are given up. */
    boolean names(Resolved resolved, @Nullable Durable uncertain) {
        boolean named = false;
        for (var task : tasks.carried()) {
            if (!resolved.asked().containsAll(task.partitions)) {
                continue;
            }
            var manifests = pointers(task, resolved).values().stream()
                    .map(Pointer::manifest)
                    .distinct()
                    .toList();
            if (uncertain != null && manifests.equals(List.of(uncertain.manifest()))) {
                named = true;
            } else if (task.committedIn() == null
                    ? !manifests.isEmpty()
                    : !manifests.equals(List.of(task.committedIn()))) {
                foreign.accept(task);
            }
        }
        return named;
    }

    private Map<TopicPartition, Pointer> pointers(Task task, Resolved resolved) {
        var pointers = new HashMap<TopicPartition, Pointer>();
        for (var partition : task.partitions) {
            var position = resolved.committed().get(partition);
            if (position != null && !position.metadata().isEmpty()) {
                pointers.put(partition, Pointer.decode(settings.domain(), position.metadata()));
            }
        }
        return pointers;
    }

    /** Every task forgets what is not committed, and reads on from what is. */
    void rollBack(String reason, Source source) {
        long now = resources.clock().millis();
        for (var task : tasks.carried()) {
            var committed = task.committed();
            if (committed != null) {
                task.moveTo(committed.positions());
            }
            if (task.state() != null) {
                task.openState().rollBack(task.epoch());
            }
            if (task.isAdmitted()) {
                aligner.rewind(task.id, new TreeMap<>(task.positions()), task.lastCut(), now);
            }
            task.positions().forEach(source::seek);
            rewound.accept(task);
        }
        resources.listener().onRolledBack(processor);
        LOG.atInfo()
                .setMessage("Rolled back to what is committed")
                .addKeyValue("slot", slot)
                .addKeyValue("tasks", tasks.carried().size())
                .addKeyValue("reason", reason)
                .log();
    }
}
