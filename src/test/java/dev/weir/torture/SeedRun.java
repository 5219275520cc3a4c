package dev.weir.torture;

import dev.weir.snapshot.CheckpointManifest.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.IsolationLevel;

/** One plan: a domain under load, the faults, healing, and the verdict. */
final class SeedRun {

    private static final Duration QUIET = Duration.ofSeconds(90);

    private final Plan plan;
    private final Path folder;
    private final Scene.Surroundings surroundings;
    private final String domain;
    private final Chronicle chronicle;
    private final Tally tally = new Tally();
    private final List<String> violations = new ArrayList<>();

    SeedRun(Plan plan, Path folder, Scene.Surroundings surroundings) {
        this.plan = plan;
        this.folder = folder;
        this.surroundings = surroundings;
        this.domain = "torture-" + plan.name();
        this.chronicle = new Chronicle(folder.resolve("faults.log"));
    }

    /** How it went. */
    record Result(Plan plan, double seconds, Tally tally, List<String> violations, List<String> chronicle) {}

    Result run() {
        try (var stores =
                new Stores(folder.resolve("store"), surroundings.site().address())) {
            var scene = new Scene(surroundings, domain, folder, stores, new Scene.Record(chronicle, tally, violations));
            try {
                torture(scene);
            } finally {
                scene.workers.stream().filter(WorkerChild::isAlive).forEach(worker -> worker.doomed()
                        .kill());
                scene.judge.close();
            }
        } catch (Exception | AssertionError e) {
            violations.add("the run itself: " + e);
            chronicle.note("ended by " + e + " at " + List.of(e.getStackTrace()));
        }
        return new Result(plan, chronicle.seconds(), tally, List.copyOf(violations), chronicle.lines());
    }

    private void torture(Scene scene) throws Exception {
        prepareTopics(scene);
        try (var observer = new Observer(surroundings.cluster().direct(), Ledger.OUTPUT, Scene.PARTITIONS);
                var load = new Load(
                        surroundings.cluster().direct(), Scene.PARTITIONS, plan.recordsPerSecond(), plan.seed());
                var machine = new MachineFaults(scene, observer)) {
            machine.prepare(plan);
            scene.workers.forEach(WorkerChild::start);
            scene.require("work for all workers", Duration.ofSeconds(90), () -> scene.workers.stream()
                    .allMatch(WorkerChild::isWorking));
            scene.require("a first checkpoint", Duration.ofSeconds(30), () -> scene.judge.newestComplete() > 0);
            chronicle.note("all is well; the faults begin");
            strike(scene, new Faults(scene), machine);
            scene.heal();
            chronicle.note("the faults have ended");
            long sent = load.stop();
            tally.add("records", sent);
            quiesce(scene, observer, sent);
            stop(scene);
            judge(scene, observer, sent);
            tally.add("slowest recovery ms", observer.longestSilenceMillis());
        }
    }

    private void prepareTopics(Scene scene) throws Exception {
        surroundings.cluster().awaitSound();
        surroundings.cluster().delete(Set.of(Ledger.INPUT, Ledger.OUTPUT));
        scene.judge
                .admin()
                .createTopics(List.of(
                        new NewTopic(Ledger.INPUT, Optional.of(Scene.PARTITIONS), Optional.empty()),
                        new NewTopic(Ledger.OUTPUT, Optional.of(Scene.PARTITIONS), Optional.empty())))
                .all()
                .get();
        surroundings.cluster().awaitSound();
    }

    private void strike(Scene scene, Faults faults, MachineFaults machine) {
        for (var step : plan.steps()) {
            switch (step.kind()) {
                case FULL_DISK, OUT_OF_MEMORY, PARTITION, CLOCK, OUTAGE -> machine.strike(step);
                default -> faults.strike(step);
            }
            scene.rest(step.pauseMillis());
        }
    }

    private void quiesce(Scene scene, Observer observer, long sent) throws Exception {
        long began = scene.clock.millis();
        var judge = scene.judge;
        long newest = judge.newestComplete();
        var ends = judge.ends(Ledger.OUTPUT, Scene.PARTITIONS, IsolationLevel.READ_UNCOMMITTED);
        if (!scene.waitFor(
                "stable ends",
                Duration.ofMillis(WorkerChild.TRANSACTION_MILLIS + 15_000),
                () -> reached(judge.ends(Ledger.OUTPUT, Scene.PARTITIONS, IsolationLevel.READ_COMMITTED), ends))) {
            violations.add("I4: a transaction that was open when the faults ended is open still");
        }
        if (!scene.waitFor("a checkpoint", QUIET, () -> judge.newestComplete() > newest)) {
            violations.add("I11: no checkpoint completes after the faults; the newest is " + newest);
        }
        if (!scene.waitFor("all outputs", QUIET, () -> observer.count() >= sent)) {
            violations.add("I11: " + observer.count() + " of " + sent + " outputs are visible after the faults");
        }
        long seen = judge.newestComplete();
        if (!scene.waitFor("another checkpoint", QUIET, () -> judge.newestComplete() > seen)) {
            violations.add("I11: no checkpoint completes when all is quiet; the newest is " + seen);
        }
        tally.add("quiet after ms", scene.clock.millis() - began);
        chronicle.note("all is quiet, " + (scene.clock.millis() - began) + " ms after the faults");
    }

    private void stop(Scene scene) {
        // The one that leaves the archive of classes takes its time, which is not Weir's.
        long atMost = surroundings.classes().isArchived("worker") ? 30_000 : 180_000;
        for (var worker : scene.workers) {
            worker.doomed().terminate();
        }
        for (var worker : scene.workers) {
            if (!worker.process().endsWithin(atMost)) {
                violations.add("I11: " + worker.name() + " was asked to stop and did not end in 30 s");
            }
        }
    }

    private static boolean reached(Map<Integer, Long> stable, Map<Integer, Long> ends) {
        return ends.entrySet().stream().allMatch(end -> stable.getOrDefault(end.getKey(), 0L) >= end.getValue());
    }

    private void judge(Scene scene, Observer observer, long sent) throws Exception {
        var judge = scene.judge;
        var oracle = judge.oracle();
        violations.addAll(Checkers.input(oracle, sent));
        var outputs = judge.outputs();
        violations.addAll(Checkers.outputs(
                oracle,
                judge.committed(),
                outputs.stream()
                        .map(each -> each.stream().map(Observer.Seen::value).toList())
                        .toList()));
        scene.waitFor(
                "the observer", Duration.ofSeconds(5), () -> observer.seen().equals(outputs));
        violations.addAll(Checkers.sameLog(observer.seen(), outputs));
        violations.addAll(judge.judgeCheckpoints(oracle, plan.seed()));
        judge.checkpoints()
                .values()
                .forEach(checkpoint -> tally.add(
                        checkpoint.outcome() == Outcome.COMPLETE ? "checkpoints completed" : "checkpoints abandoned",
                        1));
        chronicle.note("judged: " + violations.size() + " violations");
    }
}
