package dev.weir.benchmark;

import dev.weir.benchmark.workload.Ledger;
import dev.weir.benchmark.workload.Verifier;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/**
 * Sends records at a fixed rate: from the moment at which a record was due to be sent until a read_committed consumer has the output that
 * was made of it, so that a late sender counts against the worker. A warming up at the same rate, which the start of the worker falls
 * into, does not count.
 */
final class Latency {

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Run run;
    private final int rate;
    private final int warmupMillis;
    private final int measuredMillis;
    private final Histogram histogram = new Histogram();
    private double workerCpu = -1;
    private double brokerCpu;

    private Latency(Run run) {
        this.run = run;
        this.rate = run.settings().number("rate", 20_000);
        this.warmupMillis = run.settings().number("warmup", 20) * 1000;
        this.measuredMillis = run.settings().number("seconds", 60) * 1000;
    }

    static void measure(Run run) throws Exception {
        new Latency(run).measure();
    }

    private void measure() throws Exception {
        int keys = run.settings().number("k", 1_000_000);
        Ledger ledger = run.stage().empty(run.input(), keys);
        try (JavaProcess worker = run.launch();
                KafkaConsumer<byte[], byte[]> consumer = run.stage().topics().consumer()) {
            var partitions = Topics.partitions(run.output());
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long start = System.currentTimeMillis() + 1000;
            var sending = CompletableFuture.runAsync(() -> send(ledger, keys, start));
            long expected = (long) rate * (warmupMillis + measuredMillis) / 1000;
            read(consumer, worker, start + warmupMillis, expected);
            sending.join();
            double measured = (double) rate * measuredMillis / 1000;
            run.figure("workerCpuMicros", (worker.facts().cpuSeconds() - workerCpu) * 1e6 / measured);
            run.figure("brokerCpuMicros", (run.stage().broker().cpuSeconds() - brokerCpu) * 1e6 / measured);
            run.profile(worker);
        }
        run.verify(new Verifier(ledger));
        run.perSecond("commits", (warmupMillis + measuredMillis) / 1e3);
        run.figure("p50", histogram.quantile(0.5));
        run.figure("p90", histogram.quantile(0.9));
        run.figure("p99", histogram.quantile(0.99));
        run.figure("p99.9", histogram.quantile(0.999));
        run.figure("max", histogram.quantile(1));
        run.sizes();
    }

    private void read(KafkaConsumer<byte[], byte[]> consumer, JavaProcess worker, long from, long expected)
            throws Exception {
        long progress = System.nanoTime();
        long seen = 0;
        while (seen < expected) {
            worker.check();
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                seen++;
                progress = System.nanoTime();
                if (record.timestamp() >= from) {
                    if (workerCpu < 0) {
                        workerCpu = worker.facts().cpuSeconds();
                        brokerCpu = run.stage().broker().cpuSeconds();
                    }
                    histogram.add(System.currentTimeMillis() - record.timestamp());
                }
            }
            if (System.nanoTime() - progress > PATIENCE.toNanos()) {
                throw new IllegalStateException("No output came for " + PATIENCE.toMinutes() + " min; " + seen + " of "
                        + expected + " had come");
            }
        }
    }

    private void send(Ledger ledger, int keys, long start) {
        var random = new SplittableRandom(1);
        try (var load = new Load(run.stage().bootstrap(), run.input(), ledger)) {
            for (int millis = 0; millis < warmupMillis + measuredMillis; millis++) {
                long due = start + millis;
                for (long left = due - System.currentTimeMillis(); left > 0; left = due - System.currentTimeMillis()) {
                    Thread.sleep(left);
                }
                int count = (int) ((long) rate * (millis + 1) / 1000 - (long) rate * millis / 1000);
                for (int i = 0; i < count; i++) {
                    load.send(random.nextInt(keys), due);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
