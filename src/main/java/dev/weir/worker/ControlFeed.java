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
    public void step() {
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
        } catch (TransientException e) {
            LOG.atWarn()
                    .setMessage("The control topic could not be read; trying again")
                    .addKeyValue("reason", e.getMessage())
                    .log();
            close();
        }
    }

    /** Closes its reader. */
    public void close() {
        if (reader != null) {
            reader.close();
            reader = null;
        }
    }
}
