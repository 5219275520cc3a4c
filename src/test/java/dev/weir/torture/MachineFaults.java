package dev.weir.torture;

import dev.weir.torture.Plan.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Strikes with what only some machines let us do, or what takes long; what this one does not let us do is told. */
final class MachineFaults implements AutoCloseable {

    private static final int DISK_MEGABYTES = 64;
    private static final int FEW_MEGABYTES = 120;
    private static final long HOUR_MILLIS = 3_600_000;
    /** Past the session's and the transaction's timeout. */
    private static final long PARTED_MILLIS = 14_000;

    private final Scene scene;
    private final Observer observer;
    private @Nullable String smallDiskRefused = "not asked for";

    MachineFaults(Scene scene, Observer observer) {
        this.scene = scene;
        this.observer = observer;
    }

    /** Prepares the place of the first worker for what the plan does to it; before it is started. */
    void prepare(Plan plan) {
        var worker = scene.workers.get(0);
        if (plan.has(Plan.Kind.FULL_DISK)) {
            smallDiskRefused = Machine.mount(worker.disk(), DISK_MEGABYTES).orElse(null);
        }
        if (plan.has(Plan.Kind.PARTITION) && scene.site.refused().isEmpty()) {
            worker.usually(scene.site.atWorkersSide());
        }
    }

    void strike(Step step) {
        switch (step.kind()) {
            case FULL_DISK -> fillDisk(scene.workers.get(0));
            case OUT_OF_MEMORY -> starve(scene.standing(step.worker()));
            case PARTITION ->
                part(scene.workers.get(0), List.of(Site.Cut.values()).get(step.number()));
            case CLOCK -> shiftClocks();
            case OUTAGE -> outage(Duration.ofSeconds(Long.getLong("torture.outage-seconds", 600)));
            default -> throw new IllegalArgumentException(step + " needs nothing of the machine");
        }
    }

    /** Its disk, a small one, is full for a while; it goes on by itself when there is room. */
    private void fillDisk(WorkerChild worker) {
        if (smallDiskRefused != null) {
            scene.impossible("full disk", smallDiskRefused);
            return;
        }
        // On a disk without room it would refuse to start, as it should.
        scene.waitFor(worker.name() + " to work", Duration.ofSeconds(60), worker::isWorking);
        scene.check(worker.isWorking(), worker.name() + " did not work before its disk was filled");
        long bytes = Machine.fill(worker.disk().resolve("ballast"));
        scene.chronicle.note("filled the disk of " + worker.name() + " with " + bytes + " bytes");
        long until = scene.clock.millis() + 6_000;
        while (scene.clock.millis() < until) {
            scene.rest(200);
            bytes += Machine.fill(worker.disk().resolve("ballast-" + scene.clock.millis()));
        }
        try (var files = Files.list(worker.disk())) {
            for (var file : files.toList()) {
                if (file.getFileName().toString().startsWith("ballast")) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        scene.check(bytes > 0, "a full disk was not full");
        scene.chronicle.note("there is room again on the disk of " + worker.name());
        scene.tally.add("full disks", 1);
    }

    /** It is started again with less memory than it needs, until the kernel kills it. */
    private void starve(WorkerChild worker) {
        var group = "weir-" + scene.domain + "-" + ProcessHandle.current().pid();
        var refused = Machine.group(group, FEW_MEGABYTES);
        if (refused.isPresent()) {
            scene.impossible("out of memory", refused.get());
            return;
        }
        worker.doomed().kill();
        worker.start(List.of(Machine.entry(scene.folder, group).toString()));
        worker.doomed();
        scene.waitFor("the kernel to kill " + worker.name(), Duration.ofSeconds(60), () -> !worker.isAlive());
        if (worker.isAlive()) {
            scene.check(false, "a worker without memory lives on");
            worker.process().kill();
        } else {
            int code = worker.process().await(1);
            long killed = Machine.killedForMemory(group);
            scene.chronicle.note(worker.name() + " had not enough memory: exit code " + code + ", killed " + killed);
            scene.check(code == Orders.KILLED && killed > 0, "a worker without memory was not killed by the kernel");
            scene.tally.add("out of memory", 1);
        }
        // The kernel takes its time to let a killed process go.
        scene.waitFor("the end of the group", Duration.ofSeconds(10), () -> Machine.dissolve(group));
        worker.start();
    }

    /** The network parts it from brokers and store, and the others go on meanwhile; then it comes back by itself. */
    private void part(WorkerChild worker, Site.Cut how) {
        var refused = scene.site.refused();
        if (refused.isPresent()) {
            scene.impossible("network partition", refused.get());
            return;
        }
        scene.require(worker.name() + " to be a member", Duration.ofSeconds(60), () -> scene.judge
                .members()
                .containsKey(worker.instance()));
        scene.site.cut(how);
        scene.chronicle.note("cut off " + worker.name() + ", " + how);
        scene.rest(PARTED_MILLIS);
        boolean removed = scene.isRemoved(worker);
        long newest = scene.judge.newestComplete();
        long count = observer.count();
        boolean progress = scene.waitFor(
                "a checkpoint of the others",
                Duration.ofSeconds(60),
                () -> scene.judge.newestComplete() > newest && observer.count() > count);
        if (!progress) {
            scene.violations.add("I11: with " + worker.name() + " cut off, the others do not go on");
        }
        long lost = scene.site.mend();
        scene.check(lost > 0, "a network that parted lost no packet");
        scene.chronicle.note("mended the network of " + worker.name() + (removed ? ", no member any more" : "") + "; "
                + lost + " packets were lost");
        scene.tally.add("network: " + how, 1);
        scene.tally.add("network: removed from the group", removed ? 1 : 0);
        if (!scene.waitFor(worker.name() + " to come back", Duration.ofSeconds(60), () -> !scene.judge
                .members()
                .getOrDefault(worker.instance(), List.of())
                .isEmpty())) {
            scene.violations.add("I11: " + worker.name() + " got no partition again within 60 s of being cut off");
        }
    }

    /** One worker lives an hour later, one an hour earlier, from now on. */
    private void shiftClocks() {
        var refused = Machine.refusesClock();
        if (refused.isPresent()) {
            scene.impossible("another time", refused.get());
            return;
        }
        shiftClock(scene.workers.get(0), "+1h", HOUR_MILLIS);
        shiftClock(scene.workers.get(1), "-1h", -HOUR_MILLIS);
    }

    private void shiftClock(WorkerChild worker, String shift, long millis) {
        worker.doomed().kill();
        worker.usually(Machine.atTime(shift));
        worker.start();
        scene.waitFor(worker.name() + " to work", Duration.ofSeconds(60), worker::isWorking);
        scene.check(worker.isWorking(), worker.name() + " does not work at another time");
        long off = worker.startedAtItsClock() - scene.clock.wallMillis();
        scene.check(
                Math.abs(off - millis) < HOUR_MILLIS / 10,
                "the clock of " + worker.name() + " is off by " + off + " ms");
        scene.chronicle.note("the clock of " + worker.name() + " is off by " + off / 1_000 + " s");
        scene.tally.add("clocks an hour off", 1);
    }

    /** The store is away for all of them, for long. */
    private void outage(Duration length) {
        scene.workers.forEach(worker -> worker.gate().fail(StoreFault.AWAY));
        scene.chronicle.note("the store is away for all");
        scene.rest(5_000);
        long newest = scene.judge.newestComplete();
        scene.rest(length.toMillis() - 5_000);
        scene.check(scene.judge.newestComplete() == newest, "a checkpoint completed without a store");
        for (var worker : scene.workers) {
            long hits = worker.gate().struck(StoreFault.AWAY);
            scene.check(hits > 0, worker.name() + " asked nothing of a store that was away");
            scene.tally.add("store requests struck", hits);
            worker.gate().calm();
        }
        scene.chronicle.note("the store is back after " + length.toSeconds() + " s");
        scene.tally.add("store: away for " + length.toSeconds() + " s", 1);
    }

    @Override
    public void close() {
        if (smallDiskRefused == null) {
            Machine.unmount(scene.workers.get(0).disk());
        }
    }
}
