package dev.weir.benchmark;

import dev.weir.benchmark.workload.Ledger;
import dev.weir.benchmark.workload.Signals.Signal;
import dev.weir.benchmark.workload.Verifier;
import java.time.Duration;

/**
 * A worker has built a state for each of many keys; it is killed, its disk is lost, another one with its name is launched: how long until
 * the outputs of records that were sent meanwhile can be read, first of any partition, then of all. Streams restores from its changelog,
 * Flink and Weir from a folder.
 */
final class Recovery {

    private static final int PROBES = 1000;
    private static final int SAMPLE_MILLIS = 10;
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final Run run;
    private long firstMillis = -1;
    private long allMillis = -1;

    private Recovery(Run run) {
        this.run = run;
    }

    static void measure(Run run) throws Exception {
        new Recovery(run).measure();
    }

    private void measure() throws Exception {
        int keys = run.settings().number("k", 1_000_000);
        int settle = run.settings().number("settle", 5000);
        Ledger ledger = run.stage().empty(run.input(), keys);
        send(ledger, keys);
        try (JavaProcess lost = run.launch()) {
            run.follow(lost, keys, settle);
            run.profile(lost);
            lost.kill();
        }
        run.figure("localMiB", Run.mebibytes(Folders.size(run.state())));
        Folders.delete(run.state());
        long[] before = run.committed();
        send(ledger, PROBES);
        try (JavaProcess next = run.launch()) {
            await(next, before);
            run.follow(next, 0, settle);
            tell(next);
        }
        run.verify(new Verifier(ledger));
        run.sizes();
    }

    /** One record for each of the first so many keys. */
    private void send(Ledger ledger, int records) {
        try (var load = new Load(run.stage().bootstrap(), run.input(), ledger)) {
            load.sendAll(records, Load.ids("once", records));
        }
    }

    private void await(JavaProcess worker, long[] before) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (allMillis < 0) {
            worker.check();
            Thread.sleep(SAMPLE_MILLIS);
            long[] now = run.committed();
            long millis = System.currentTimeMillis();
            for (int i = 0; i < now.length && firstMillis < 0; i++) {
                if (now[i] > before[i]) {
                    firstMillis = millis;
                }
            }
            if (Run.isPast(now, before)) {
                allMillis = millis;
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("Not all partitions had output after " + PATIENCE.toMinutes() + " min");
            }
        }
    }

    private void tell(JavaProcess worker) {
        long assigned = worker.first(Signal.ASSIGNED);
        if (assigned < 0) {
            run.fault("the worker did not tell when partitions were assigned to it");
            return;
        }
        run.millis("launchToAssignedMillis", assigned - worker.launchedMillis());
        run.millis("launchToFirstMillis", firstMillis - worker.launchedMillis());
        run.millis("launchToAllMillis", allMillis - worker.launchedMillis());
        run.millis("assignedToFirstMillis", firstMillis - assigned);
        run.millis("assignedToAllMillis", allMillis - assigned);
        if (worker.last(Signal.RESTORED) >= 0) {
            run.millis("assignedToRestoredMillis", worker.last(Signal.RESTORED) - assigned);
        }
    }
}
