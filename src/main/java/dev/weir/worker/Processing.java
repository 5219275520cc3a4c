package dev.weir.worker;

import dev.weir.barrier.Aligner;
import dev.weir.barrier.DomainState;
import dev.weir.barrier.Marker;
import dev.weir.failure.WeirException;
import dev.weir.kafka.Output;
import dev.weir.kafka.Records;
import dev.weir.kafka.Source;
import dev.weir.time.Background;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * From the consumer to the handler: lets flow what can be processed, holds partitions where the aligner says so, and processes what was
 * polled. Owned by the thread.
 */
final class Processing {

    private final WorkerResources resources;
    private final WorkerSettings settings;
    private final String processor;
    private final TaskTable tasks;
    private final Aligner aligner;
    private final RecordHandler handler;
    private final Openings openings;
    private final Epochs epochs;
    private final Background background;
    private final Intake intake = new Intake();
    private final Set<TopicPartition> flowing = new HashSet<>();
    private DomainState domain = DomainState.empty();
    private String clusterId = "";
    private long recordsTotal;

    Processing(
            WorkerResources resources,
            WorkerSettings settings,
            String processor,
            TaskTable tasks,
            Aligner aligner,
            RecordHandler handler,
            Openings openings,
            Epochs epochs,
            Background background) {
        this.resources = resources;
        this.settings = settings;
        this.processor = processor;
        this.tasks = tasks;
        this.aligner = aligner;
        this.handler = handler;
        this.openings = openings;
        this.epochs = epochs;
        this.background = background;
    }

    /** Emitting something larger than this is refused. */
    void limit(int maxRecordBytes) {
        handler.limit(maxRecordBytes);
    }

    void cluster(String id) {
        clusterId = id;
    }

    void domain(DomainState state) {
        domain = state;
    }

    long recordsTotal() {
        return recordsTotal;
    }

    /** Whether something is there that can be processed at once. */
    boolean isBusy(long nowMillis) {
        return epochs.mayProcess(nowMillis) && intake.partitions().stream().anyMatch(this::canFlow);
    }

    /** Whether what comes next waits for its state and will be ready soon. */
    boolean isReading() {
        return intake.isReading();
    }

    private boolean canFlow(TopicPartition partition) {
        var backlog = intake.first(partition);
        var task = tasks.find(partition);
        return task == null || (backlog != null && !backlog.reading && task.isMoving() && !aligner.isHeld(partition));
    }

    /** Takes what was polled and has the state that it will need read beside the thread, if that is not in memory anyway. */
    void add(Records records) {
        var backlog = intake.add(records);
        var task = tasks.find(records.partition());
        var state = task == null ? null : task.state();
        if (task == null || state == null || !state.readsMiss()) {
            return;
        }
        var ahead = state.readAhead(handler.keysAhead(task, records));
        if (ahead.isEmpty()) {
            return;
        }
        backlog.reading = true;
        background.submit(
                "read " + task.id,
                cancellation -> ahead.run(),
                read -> {
                    backlog.reading = false;
                    state.offer(read);
                },
                failure -> backlog.reading = false);
    }

    /** Forgets what was polled of a task; the consumer goes back or away. */
    void drop(Task task) {
        task.partitions.forEach(intake::drop);
    }

    /** Partitions that the consumer has paused by itself. */
    void onPaused(Set<TopicPartition> partitions) {
        flowing.removeAll(partitions);
    }

    /** Lets flow exactly what can be processed; what has a backlog, is held or is not open waits at the broker. */
    void regulate(Source open, long nowMillis) {
        boolean processing = epochs.mayProcess(nowMillis);
        var pause = new ArrayList<TopicPartition>();
        var resume = new ArrayList<TopicPartition>();
        for (var entry : tasks.byPartition().entrySet()) {
            var partition = entry.getKey();
            boolean flow = processing
                    && entry.getValue().isMoving()
                    && !intake.isFull(partition)
                    && !aligner.isHeld(partition);
            if (flow && flowing.add(partition)) {
                resume.add(partition);
            } else if (!flow && flowing.remove(partition)) {
                pause.add(partition);
            }
        }
        if (!pause.isEmpty()) {
            open.pause(pause);
        }
        if (!resume.isEmpty()) {
            open.resume(resume);
        }
    }

    void process(Source open) {
        if (intake.isEmpty()) {
            return;
        }
        int budget = settings.recordsPerStep();
        int processed = 0;
        for (var partition : intake.partitions()) {
            long now = resources.clock().millis();
            if (budget <= 0 || !epochs.mayProcess(now)) {
                break;
            }
            var task = tasks.find(partition);
            if (task == null) {
                intake.drop(partition);
            } else if (canFlow(partition)) {
                int done = process(open, task, partition, budget, now);
                budget -= Math.max(1, done);
                processed += done;
                resources.listener().onLag(task.id, lag(open, task));
            }
        }
        if (processed > 0) {
            recordsTotal += processed;
            resources.listener().onRecords(processor, processed);
        }
    }

    /** Processes a partition's backlog up to the end of a batch, a marker that holds it, a record that fails, or the budget. */
    private int process(Source open, Task task, TopicPartition partition, int budget, long nowMillis) {
        var backlog = intake.first(partition);
        if (backlog == null) {
            return 0;
        }
        var records = backlog.records;
        long holdOffset = aligner.holdOffset(partition);
        long position = task.positions().getOrDefault(partition, 0L);
        int processed = 0;
        var handled = Handled.DONE;
        while (processed < budget && !backlog.isDone()) {
            int index = backlog.next;
            long offset = records.offset(index);
            if (offset >= holdOffset) {
                // Whatever stood at the marker's offset, all before it is processed.
                position = Math.max(holdOffset, position);
                break;
            }
            var marker = records.marker(index);
            if (marker == null) {
                handled = handle(open, task, records, index, nowMillis);
                if (handled != Handled.DONE) {
                    break;
                }
                processed++;
            } else if (isOurs(marker) && aligner.onMarker(partition, marker.checkpoint(), nowMillis)) {
                // At the marker, not behind it: from a position that is committed before the cut it must be met again.
                position = offset;
                break;
            }
            backlog.next++;
            position = offset + 1;
        }
        if (handled != Handled.VOID) {
            if (backlog.isDone()) {
                position = records.nextOffset();
                intake.removeFirst(partition);
            }
            task.moveTo(partition, position);
        }
        aligner.onPosition(partition, task.positions().getOrDefault(partition, 0L));
        return processed;
    }

    /** What became of a record. */
    private enum Handled {
        /** It is processed. */
        DONE,
        /** Its task stands still in front of it. */
        STOPPED,
        /** The epoch is void, it and all before it that is not committed will be read again. */
        VOID
    }

    /** What ends a partition without being a record, such as a transaction's marker, must not keep an alignment waiting. */
    void passGaps(Source open) {
        if (aligner.target() == 0) {
            return;
        }
        for (var partition : flowing) {
            var task = tasks.find(partition);
            if (task != null && !intake.has(partition)) {
                long position = open.position(partition);
                if (position > task.positions().getOrDefault(partition, Long.MAX_VALUE)) {
                    task.moveTo(partition, position);
                    aligner.onPosition(partition, position);
                }
            }
        }
    }

    private Handled handle(Source open, Task task, Records records, int index, long nowMillis) {
        List<Output> outputs;
        try {
            outputs = handler.handle(task, records, index);
        } catch (WeirException e) {
            throw e;
        } catch (Exception e) {
            resources.listener().onRecordFailed(task.id.processor());
            if (!(settings.onError() instanceof WorkerSettings.OnError.DeadLetter deadLetter)) {
                stop(task, records, index, e, "set weir.processing.on-error=dead-letter");
                return Handled.STOPPED;
            }
            try {
                outputs = List.of(handler.deadLetter(deadLetter.topic(), records, index, e));
            } catch (IllegalArgumentException tooLarge) {
                stop(task, records, index, e, "let its dead letter be sent: " + tooLarge.getMessage());
                return Handled.STOPPED;
            }
        }
        try {
            epochs.onRecord(outputs, nowMillis);
            return Handled.DONE;
        } catch (WeirException e) {
            epochs.abandon("outputs could not be written: " + e.getMessage(), open);
            return Handled.VOID;
        }
    }

    private void stop(Task task, Records records, int index, Exception cause, String otherwise) {
        openings.fail(
                task,
                new IllegalStateException(
                        "Cannot process " + records.partition() + " offset " + records.offset(index) + ": " + cause
                                + "; mend the handler or the record's producer and restart, or " + otherwise,
                        cause));
    }

    private boolean isOurs(Marker marker) {
        return marker.domain().equals(settings.domain())
                && marker.clusterId().equals(clusterId)
                && marker.incarnation() == domain.incarnation();
    }

    static long lag(Source open, Task task) {
        long lag = 0;
        for (var partition : task.partitions) {
            long end = open.knownEnd(partition);
            if (end < 0) {
                return -1;
            }
            lag += Math.max(0, end - task.positions().getOrDefault(partition, end));
        }
        return lag;
    }
}
