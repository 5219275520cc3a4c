package dev.weir.worker.commit;

import dev.weir.kafka.KafkaCluster;
import dev.weir.kafka.Output;
import dev.weir.kafka.TransactionalSink;
import java.util.ArrayDeque;
import java.util.List;

/**
 * A thread's two transactional producers: one holds the running epoch's transaction while the other's is being committed. Between an
 * epoch's end and the acknowledgement of all its records nothing is sent, so that no record of the next one can come before them: what
 * is to be sent then is held back. Owned by the thread, except that {@link #open} runs beside it.
 */
public final class Sinks {

    private static final long MOST_HELD_BYTES = 4 << 20;

    private final TransactionalSink[] sinks;
    private final List<String> ids;
    private int current;
    private boolean begun;
    private boolean unflushed;
    private boolean flushing;
    private final ArrayDeque<Output> held = new ArrayDeque<>();
    private long heldBytes;

    private Sinks(TransactionalSink[] sinks, List<String> ids) {
        this.sinks = sinks;
        this.ids = ids;
    }

    /** Opens both producers, which ends for good whatever earlier producers of these ids left open. The first id is the newest. */
    public static Sinks open(KafkaCluster cluster, List<String> transactionalIds) {
        var opened = new TransactionalSink[transactionalIds.size()];
        try {
            for (int i = 0; i < opened.length; i++) {
                opened[i] = cluster.openSink(transactionalIds.get(i));
            }
        } catch (RuntimeException e) {
            for (var sink : opened) {
                if (sink != null) {
                    sink.close();
                }
            }
            throw e;
        }
        return new Sinks(opened, List.copyOf(transactionalIds));
    }

    /** Sends it in the running epoch's transaction, or holds it back. */
    public void send(Output output) {
        if (flushing) {
            held.add(output);
            heldBytes += output.sizeBound();
            return;
        }
        begin();
        sinks[current].send(output);
        unflushed = true;
    }

    /**
     * The running epoch's producer with a transaction begun, to be flushed if {@link #isFlushing} says so and then to be committed; the
     * next epoch gets the other one.
     */
    public TransactionalSink seal() {
        begin();
        var sealed = sinks[current];
        current = (current + 1) % sinks.length;
        begun = false;
        flushing = unflushed;
        unflushed = false;
        return sealed;
    }

    /** Whether the epoch that ended last has records that may not be acknowledged. */
    public boolean isFlushing() {
        return flushing;
    }

    /** Whether so much is held back that nothing more should be processed. */
    public boolean isFull() {
        return heldBytes >= MOST_HELD_BYTES;
    }

    /** All records of the epoch that ended last are acknowledged. */
    public void flushed() {
        flushing = false;
        heldBytes = 0;
        for (var output = held.poll(); output != null; output = held.poll()) {
            send(output);
        }
    }

    /** How large a record can be. */
    public int maxRecordBytes() {
        return sinks[current].maxRecordBytes();
    }

    /** The ids in the order in which their transactions must die: the running epoch's first. */
    public List<String> newestFirst() {
        return List.of(ids.get(current), ids.get((current + 1) % sinks.length));
    }

    /** Closes both; what they have not committed is aborted when the ids are opened again. */
    public void close() {
        sinks[current].close();
        sinks[(current + 1) % sinks.length].close();
    }

    private void begin() {
        if (!begun) {
            sinks[current].begin();
            begun = true;
        }
    }
}
