package dev.weir.worker;

import dev.weir.barrier.DomainState;
import dev.weir.failure.TransientException;
import dev.weir.kafka.ControlReader;
import dev.weir.kafka.KafkaCluster;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Reads the control topic once for all threads of a process and tells each of them. Stepped by one thread. */
public final class ControlFeed {

    private static final Logger LOG = LoggerFactory.getLogger(ControlFeed.class);

    private final KafkaCluster cluster;
    private final List<WorkerThread> threads;
    private final Duration pollTime;
    private DomainState domain = DomainState.empty();
    private long nextOffset;
    private @Nullable ControlReader reader;

    /** Tells these threads; a poll waits for the given time at most. */
    public ControlFeed(KafkaCluster cluster, List<WorkerThread> threads, Duration pollTime) {
        this.cluster = cluster;
        this.threads = List.copyOf(threads);
        this.pollTime = pollTime;
    }

    /** Reads what is there and passes it on. A reader that fails is opened anew; what was passed on already is not passed on again. */
    public Outcome step() {
        try {
            if (reader == null) {
                reader = cluster.openControlReader();
            }
            for (var positioned : reader.poll(pollTime)) {
                if (positioned.offset() < nextOffset) {
                    continue;
                }
                nextOffset = positioned.offset() + 1;
                domain = domain.after(positioned.record());
                for (var thread : threads) {
                    thread.onControl(positioned.record(), domain);
                }
            }
        } catch (RuntimeException e) {
            LOG.atLevel(e instanceof TransientException ? Level.WARN : Level.ERROR)
                    .setMessage("The control topic could not be read; trying again")
                    .addKeyValue("reason", e.getMessage())
                    .log();
            close();
            return Outcome.FAILED;
        }
        return Outcome.READ;
    }

    /** How a step went. */
    public enum Outcome {
        READ,
        FAILED
    }

    /** Closes its reader. */
    public void close() {
        if (reader != null) {
            reader.close();
            reader = null;
        }
    }
}
