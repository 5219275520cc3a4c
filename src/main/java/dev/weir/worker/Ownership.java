package dev.weir.worker;

import dev.weir.barrier.Aligner;
import dev.weir.kafka.PartitionListener;
import dev.weir.kafka.Source;
import dev.weir.time.Background;
import dev.weir.topology.ProcessorSpec;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which tasks are this thread's: they come with their partitions, and go in good order while there is time for it. Owned by the thread. */
final class Ownership implements PartitionListener {

    private static final Logger LOG = LoggerFactory.getLogger(Ownership.class);

    private final WorkerResources resources;
    private final WorkerSettings settings;
    private final ProcessorSpec spec;
    private final String slot;
    private final Background background;
    private final TaskTable tasks;
    private final Aligner aligner;
    private final Stores stores;
    private final Epochs epochs;
    private final Processing processing;
    private @Nullable Source source;

    Ownership(
            WorkerResources resources,
            WorkerSettings settings,
            ProcessorSpec spec,
            String slot,
            Background background,
            TaskTable tasks,
            Aligner aligner,
            Stores stores,
            Epochs epochs,
            Processing processing) {
        this.resources = resources;
        this.settings = settings;
        this.spec = spec;
        this.slot = slot;
        this.background = background;
        this.tasks = tasks;
        this.aligner = aligner;
        this.stores = stores;
        this.epochs = epochs;
        this.processing = processing;
    }

    /** The consumer whose partitions these are. */
    void open(Source opened) {
        source = opened;
    }

    @Override
    public void onAssigned(Set<TopicPartition> partitions) {
        processing.onPaused(partitions);
        var numbers = new TreeSet<Integer>();
        partitions.forEach(partition -> numbers.add(partition.partition()));
        for (int number : numbers) {
            var id = new TaskId(spec.name(), number);
            var inputs = new TreeSet<TopicPartition>();
            spec.inputs().forEach(topic -> inputs.add(new TopicPartition(topic, number)));
            if (tasks.find(id) == null && openSource().owned().containsAll(inputs)) {
                tasks.add(new Task(id, inputs));
            }
        }
    }

    @Override
    public void onRevoked(Set<TopicPartition> partitions) {
        var leaving = tasks.of(partitions);
        if (leaving.isEmpty()) {
            return;
        }
        boolean settled = settle(settings.revokeDeadline());
        leaving.forEach(this::release);
        if (!settled) {
            epochs.abandon(
                    "partitions " + partitions + " were revoked and the open epochs did not end in time", openSource());
        }
    }

    @Override
    public void onLost(Set<TopicPartition> partitions) {
        var lost = tasks.of(partitions);
        boolean settled = epochs.isSettled();
        lost.forEach(this::release);
        if (!lost.isEmpty() && !settled) {
            epochs.abandon("partitions " + partitions + " were lost", openSource());
        }
    }

    /** Ends and commits what is open, as long as the time allows. */
    boolean settle(Duration atMost) {
        var open = openSource();
        long deadline = resources.clock().millis() + atMost.toMillis();
        while (true) {
            long now = resources.clock().millis();
            epochs.advance(now, open, Epochs.Occasion.REVOKE);
            if (epochs.isSettled()) {
                return true;
            }
            if (now >= deadline) {
                return false;
            }
            background.await(Duration.ofMillis(Math.min(50, deadline - now)));
        }
    }

    /** It belongs to this thread no longer. */
    void release(Task task) {
        tasks.remove(task);
        aligner.remove(task.id);
        task.gone();
        processing.drop(task);
        processing.onPaused(task.partitions);
        stores.close(task);
        resources.listener().onTaskGone(task.id);
    }

    /** Somebody else has committed for the task: this thread is not its owner any more and will be told so. */
    void onForeign(Task task) {
        LOG.atWarn()
                .setMessage("Another owner has committed for a task; giving it up")
                .addKeyValue("slot", slot)
                .addKeyValue("task", task.id)
                .log();
        release(task);
        if (openSource().owned().containsAll(task.partitions)) {
            tasks.add(new Task(task.id, task.partitions));
        }
    }

    private Source openSource() {
        if (source == null) {
            throw new IllegalStateException("Cannot use the consumer of " + slot + ": it is not open");
        }
        return source;
    }
}
