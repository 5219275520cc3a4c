package dev.weir.worker;

import dev.weir.barrier.ControlRecord;
import dev.weir.failure.TransientException;
import dev.weir.kafka.ControlWriter;
import dev.weir.kafka.KafkaCluster;
import dev.weir.time.Background;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Appends a thread's records to the control topic, in order, again until each is written; to append one twice does no harm. Owned by the
 * thread.
 */
final class Outbox {

    private static final long RETRY_MILLIS = 500;

    private final KafkaCluster cluster;
    private final Background background;
    private final Consumer<Throwable> fatal;
    private final List<ControlRecord> waiting = new ArrayList<>();
    private @Nullable ControlWriter writer;
    private boolean underWay;
    private long retryAtMillis;

    Outbox(KafkaCluster cluster, Background background, Consumer<Throwable> fatal) {
        this.cluster = cluster;
        this.background = background;
        this.fatal = fatal;
    }

    void add(ControlRecord record) {
        waiting.add(record);
    }

    boolean isEmpty() {
        return waiting.isEmpty() && !underWay;
    }

    /** Sends what waits, unless something is under way. */
    void pump(long nowMillis) {
        if (underWay || waiting.isEmpty() || nowMillis < retryAtMillis) {
            return;
        }
        var batch = List.copyOf(waiting);
        underWay = true;
        var current = writer;
        background.submit(
                "control",
                cancellation -> append(current, batch),
                opened -> {
                    underWay = false;
                    writer = opened;
                    waiting.subList(0, batch.size()).clear();
                },
                failure -> {
                    underWay = false;
                    writer = null;
                    if (failure instanceof TransientException) {
                        retryAtMillis = nowMillis + RETRY_MILLIS;
                    } else {
                        fatal.accept(failure);
                    }
                });
    }

    private ControlWriter append(@Nullable ControlWriter current, List<ControlRecord> batch) {
        var open = current == null ? cluster.openControlWriter() : current;
        try {
            open.append(batch);
            return open;
        } catch (RuntimeException e) {
            open.close();
            throw e;
        }
    }

    void close() {
        if (writer != null) {
            writer.close();
            writer = null;
        }
    }
}
