package dev.weir.torture;

import dev.weir.fixture.ProxyFault;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.time.Clock;
import dev.weir.time.Pause;
import dev.weir.torture.Plan.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/** One seed: a domain under load, the faults of its plan, healing, and the verdict. */
final class SeedRun {

    static final int PARTITIONS = 6;
    static final int WORKERS = 3;
    private static final int RECORDS_PER_SECOND = 1_200;
    private static final long ZOMBIE_MILLIS = 12_500;
    private static final long POINT_MILLIS = 25_000;
    /** A worker has to start, to get tasks and to begin to restore them. */
    private static final long RESTORE_MILLIS = 45_000;

    private static final Duration QUIET = Duration.ofSeconds(90);

    private final Clock clock = Clock.system();
    private final long seed;
    private final Path folder;
    private final String domain;
    private final Chronicle chronicle;
    private final Tally tally = new Tally();
    private final List<String> violations = new ArrayList<>();
    private final List<WorkerChild> workers = new ArrayList<>();
    /** What has to be undone later, and when. */
    private final Map<WorkerChild, Long> zombies = new java.util.LinkedHashMap<>();

    private final Plan plan;
    private final Classes classes;
    private boolean smallDisk;

    SeedRun(Plan plan, Path folder, Classes classes) {
        this.classes = classes;
        this.plan = plan;
        this.seed = plan.seed();
        this.folder = folder;
        this.domain = "torture-" + seed;
        this.chronicle = new Chronicle(folder.resolve("faults.log"));
    }

    /** How it went. */
    record Result(long seed, double seconds, Tally tally, List<String> violations, List<String> chronicle) {}

    Result run() {
        try (var broker = new Broker(folder, classes);
                var judge = new Judge(broker.direct(), domain, PARTITIONS, folder)) {
            torture(broker, judge);
        } catch (Exception | AssertionError e) {
            violations.add("the run itself: " + e);
            chronicle.note("ended by " + e + " at " + List.of(e.getStackTrace()));
        } finally {
            workers.stream().filter(WorkerChild::isAlive).forEach(worker -> worker.doomed()
                    .kill());
        }
        return new Result(seed, chronicle.seconds(), tally, List.copyOf(violations), chronicle.lines());
    }

    private void torture(Broker broker, Judge judge) throws Exception {
        judge.admin()
                .createTopics(List.of(
                        new NewTopic(Ledger.INPUT, Optional.of(PARTITIONS), Optional.empty()),
                        new NewTopic(Ledger.OUTPUT, Optional.of(PARTITIONS), Optional.empty())))
                .all()
                .get();
        for (int number = 0; number < WORKERS; number++) {
            workers.add(new WorkerChild(folder, classes, domain, broker.proxied(), number));
            if (number == 0 && plan.steps().stream().anyMatch(step -> step.kind() == Plan.Kind.FULL_DISK)) {
                makeDiskSmall(workers.get(0));
            }
            workers.get(number).start();
        }
        try (var observer = new Observer(broker.direct(), Ledger.OUTPUT, PARTITIONS);
                var load = new Load(broker.direct(), PARTITIONS, RECORDS_PER_SECOND, seed)) {
            require("work for all workers", Duration.ofSeconds(60), () -> workers.stream()
                    .allMatch(WorkerChild::isWorking));
            require("a first checkpoint", Duration.ofSeconds(30), () -> judge.newestComplete() > 0);
            chronicle.note("all is well; the faults begin");
            for (var step : plan.steps()) {
                strike(step, broker, judge);
                attend(judge);
                rest(step.pauseMillis(), judge);
            }
            heal(judge);
            long sent = load.stop();
            tally.add("records", sent);
            quiesce(judge, observer, sent);
            judge(judge, observer, sent);
            tally.add("slowest recovery ms", observer.longestSilenceMillis());
        }
    }

    private void makeDiskSmall(WorkerChild worker) {
        var refused = Machine.mount(worker.disk(), 64);
        smallDisk = refused.isEmpty();
        if (refused.isPresent()) {
            tally.add("not possible here: full disk", 1);
            chronicle.note("not possible here: " + refused.get());
        }
    }

    private void strike(Step step, Broker broker, Judge judge) throws Exception {
        switch (step.kind()) {
            case KILL -> kill(standing(step.worker()));
            case POINT -> killAt(List.of(Point.values()).get(step.number()), standing(step.worker()));
            case ZOMBIE -> freeze(standing(step.worker()));
            case LOST_COMMIT -> loseCommit(broker, step.number());
            case STORE -> failStore(List.of(StoreFault.values()).get(step.number()), standing(step.worker()));
            case BROKER_KILL -> killBroker(broker);
            case STORM -> storm(broker);
            case ROLL -> roll(judge);
            case FULL_DISK -> fillDisk(workers.get(0));
            case OUT_OF_MEMORY -> starve(standing(step.worker()));
        }
    }

    /** The worker of this number, or the next one, that works and is not frozen. If none does for a while, one that only lives. */
    private WorkerChild standing(int number) {
        waitFor("a worker that works", Duration.ofSeconds(20), () -> inTurn(number)
                .anyMatch(WorkerChild::isWorking));
        return Stream.concat(inTurn(number).filter(WorkerChild::isWorking), inTurn(number))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No worker stands"));
    }

    private Stream<WorkerChild> inTurn(int number) {
        return IntStream.range(0, WORKERS)
                .mapToObj(i -> workers.get((number + i) % WORKERS))
                .filter(worker -> worker.isAlive() && !zombies.containsKey(worker));
    }

    private void kill(WorkerChild worker) {
        int code = worker.doomed().kill();
        chronicle.note("killed " + worker.name() + ", exit code " + code);
        check(code == Orders.KILLED, "a killed worker ended with " + code);
        tally.add("kill: random", 1);
        worker.start();
    }

    private void killAt(Point point, WorkerChild worker) {
        if (point == Point.RESTORE) {
            worker.doomed().kill();
            worker.wipe();
            worker.start();
        }
        long before = worker.noted("died " + point);
        worker.doomed().tell("die " + point + " " + (point == Point.RESTORE ? 2 : 1));
        chronicle.note("told " + worker.name() + " to die at " + point);
        if (worker.process().endsWithin(point == Point.RESTORE ? RESTORE_MILLIS : POINT_MILLIS)) {
            int code = worker.process().await(1);
            check(code == Orders.KILLED, "a worker that died at " + point + " ended with " + code);
            check(worker.noted("died " + point) == before + 1, "a worker ended somewhere else than at " + point);
            chronicle.note(worker.name() + " died at " + point);
            tally.add("kill: " + point, 1);
            worker.start();
        } else {
            worker.process().tell("calm");
            worker.process().endsWithin(300);
            tally.add("missed: " + point, 1);
            chronicle.note(worker.name() + " did not get to " + point);
            if (worker.isAlive()) {
                worker.spare();
            } else {
                worker.start();
            }
        }
    }

    private void freeze(WorkerChild worker) {
        worker.process().signal("STOP");
        chronicle.note("stopped " + worker.name());
        waitFor("state T", Duration.ofSeconds(5), () -> worker.process().state() == 'T');
        zombies.put(worker, clock.millis() + ZOMBIE_MILLIS);
    }

    /** Wakes those whose time has come, and starts those again that have ended of something that we had done. */
    private void attend(Judge judge) throws Exception {
        for (var worker : List.copyOf(zombies.keySet())) {
            if (clock.millis() >= zombies.getOrDefault(worker, 0L)) {
                wake(worker, judge);
            }
        }
        for (var worker : workers) {
            if (worker.endedByItself()) {
                violations.add("I11: " + worker.name() + " ended by itself with exit code "
                        + worker.process().await(1));
                chronicle.note(worker.name() + " ended by itself");
                worker.start();
            }
        }
    }

    private void wake(WorkerChild worker, Judge judge) throws Exception {
        boolean removed = !judge.members().containsKey(worker.instance());
        check(worker.process().state() == 'T', "a stopped worker was not in state T");
        worker.process().signal("CONT");
        zombies.remove(worker);
        tally.add("zombies", 1);
        tally.add("zombies removed from the group", removed ? 1 : 0);
        chronicle.note("woke " + worker.name() + (removed ? ", which was no member any more" : ", still a member"));
    }

    private void loseCommit(Broker broker, int how) {
        var chosen = broker.proxy()
                .on(ApiKeys.END_TXN)
                .from(domain + "." + Ledger.NAME)
                .times(1);
        try (ProxyFault fault =
                how == 0 ? chosen.loseReplies() : how == 1 ? chosen.swallowReplies() : chosen.loseRequests()) {
            fault.awaitHits(1, Duration.ofSeconds(20));
            chronicle.note(
                    "lost " + (how == 2 ? "a commit" : "the reply to a commit") + (how == 1 ? ", in silence" : ""));
            tally.add(how == 2 ? "lost commits: requests" : "lost commits: replies", 1);
            if (how == 1) {
                Pause.real().await(Duration.ofSeconds(4));
            }
        }
    }

    private void failStore(StoreFault fault, WorkerChild worker) {
        long millis = fault == StoreFault.AWAY || fault == StoreFault.HANGING ? 5_000 : 3_000;
        long before = worker.noted("store " + fault);
        if (fault == StoreFault.CORRUPT) {
            worker.doomed().kill();
            worker.wipe();
            worker.start();
        }
        worker.process().tell("store " + fault + " " + millis);
        chronicle.note("the store is " + fault + " for " + worker.name());
        boolean struck = waitFor(
                "a request that the fault has struck",
                Duration.ofMillis(fault == StoreFault.CORRUPT ? RESTORE_MILLIS : POINT_MILLIS),
                () -> worker.noted("store " + fault) > before || !worker.isAlive());
        if (struck && fault != StoreFault.CORRUPT) {
            Pause.real().await(Duration.ofMillis(millis));
        }
        worker.process().tell("calm");
        long hits = worker.noted("store " + fault) - before;
        tally.add(hits > 0 ? "store: " + fault : "missed: store " + fault, 1);
        tally.add("store requests struck", hits);
        if (fault == StoreFault.CORRUPT) {
            Pause.real().await(Duration.ofMillis(1_500));
            // A task that has read something altered stops for good; its process is started again.
            worker.doomed().kill();
            worker.start();
        }
        chronicle.note("the store was " + fault + " for " + worker.name() + ", " + hits + " requests");
    }

    private void killBroker(Broker broker) {
        int code = broker.killAndRestart();
        chronicle.note("killed the broker, exit code " + code + ", and started it again");
        check(code == Orders.KILLED, "a killed broker ended with " + code);
        tally.add("broker kills", 1);
    }

    /** Another worker comes and goes, three times. */
    private void storm(Broker broker) {
        var guest = new WorkerChild(folder, classes, domain, broker.proxied(), WORKERS);
        for (int i = 0; i < 3; i++) {
            guest.start();
            chronicle.note("a guest comes");
            Pause.real().await(Duration.ofMillis(3_500));
            guest.doomed().terminate();
            if (!guest.process().endsWithin(15_000)) {
                violations.add("I11: a worker that was asked to stop did not end in 15 s");
                guest.process().kill();
            }
            chronicle.note("the guest has gone, exit code " + guest.process().await(1));
            tally.add("rebalances: guests", 1);
        }
    }

    /** Each worker is stopped in good order and started again. */
    private void roll(Judge judge) throws Exception {
        for (var worker : workers) {
            attend(judge);
            if (!zombies.containsKey(worker) && worker.isAlive()) {
                worker.doomed().terminate();
                if (!worker.process().endsWithin(20_000)) {
                    violations.add("I11: " + worker.name() + " was asked to stop and did not end in 20 s");
                    worker.process().kill();
                }
                chronicle.note("stopped " + worker.name() + " in good order, exit code "
                        + worker.process().await(1));
                tally.add("rebalances: rolled", 1);
                worker.start();
            }
        }
    }

    /** Its disk, a small one, is full for a while; it goes on by itself when there is room. */
    private void fillDisk(WorkerChild worker) {
        if (!smallDisk) {
            return;
        }
        var ballast = worker.disk().resolve("ballast");
        long bytes = Machine.fill(ballast);
        chronicle.note("filled the disk of " + worker.name() + " with " + bytes + " bytes");
        long until = clock.millis() + 6_000;
        while (clock.millis() < until) {
            Pause.real().await(Duration.ofMillis(200));
            bytes += Machine.fill(worker.disk().resolve("ballast-" + clock.millis()));
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
        check(bytes > 0, "a full disk was not full");
        chronicle.note("there is room again on the disk of " + worker.name());
        tally.add("full disks", 1);
    }

    /** It is started again with less memory than it needs, until the kernel kills it. */
    private void starve(WorkerChild worker) {
        var group = "weir-" + domain + "-" + ProcessHandle.current().pid();
        var refused = Machine.group(group, 120);
        if (refused.isPresent()) {
            tally.add("not possible here: out of memory", 1);
            chronicle.note("not possible here: " + refused.get());
            return;
        }
        worker.doomed().kill();
        worker.start(List.of(Machine.entry(folder, group).toString()));
        if (worker.doomed().endsWithin(60_000)) {
            int code = worker.process().await(1);
            long killed = Machine.killedForMemory(group);
            chronicle.note(worker.name() + " had not enough memory: exit code " + code + ", killed " + killed);
            check(code == Orders.KILLED && killed > 0, "a worker without memory was not killed by the kernel");
            tally.add("out of memory", 1);
        } else {
            check(false, "a worker without memory lives on");
            worker.process().kill();
        }
        Machine.dissolve(group);
        worker.start();
    }

    private void rest(long millis, Judge judge) throws Exception {
        long until = clock.millis() + millis;
        while (clock.millis() < until) {
            Pause.real().await(Duration.ofMillis(100));
            attend(judge);
        }
    }

    private void heal(Judge judge) throws Exception {
        while (!zombies.isEmpty()) {
            rest(200, judge);
        }
        workers.forEach(worker -> worker.process().tell("calm"));
        chronicle.note("the faults have ended");
    }

    private void quiesce(Judge judge, Observer observer, long sent) throws Exception {
        long began = clock.millis();
        long newest = judge.newestComplete();
        var ends = judge.ends(Ledger.OUTPUT, PARTITIONS, IsolationLevel.READ_UNCOMMITTED);
        if (!waitFor(
                "stable ends",
                Duration.ofMillis(WorkerChild.TRANSACTION_MILLIS + 15_000),
                () -> reached(judge.ends(Ledger.OUTPUT, PARTITIONS, IsolationLevel.READ_COMMITTED), ends))) {
            violations.add("I4: a transaction that was open when the faults ended is open still");
        }
        attend(judge);
        if (!waitFor("a checkpoint", QUIET, () -> judge.newestComplete() > newest)) {
            violations.add("I11: no checkpoint completes after the faults; the newest is " + newest);
        }
        attend(judge);
        if (!waitFor("all outputs", QUIET, () -> observer.count() >= sent)) {
            violations.add("I11: " + observer.count() + " of " + sent + " outputs are visible after the faults");
        }
        attend(judge);
        long seen = judge.newestComplete();
        if (!waitFor("another checkpoint", QUIET, () -> judge.newestComplete() > seen)) {
            violations.add("I11: no checkpoint completes when all is quiet; the newest is " + seen);
        }
        tally.add("quiet after ms", clock.millis() - began);
        chronicle.note("all is quiet, " + (clock.millis() - began) + " ms after the faults");
        // The one that leaves the archive of classes takes its time, which is not Weir's.
        long atMost = classes.isArchived("worker") ? 30_000 : 180_000;
        for (var worker : workers) {
            worker.doomed().terminate();
        }
        for (var worker : workers) {
            if (!worker.process().endsWithin(atMost)) {
                violations.add("I11: " + worker.name() + " was asked to stop and did not end in 30 s");
            }
        }
    }

    private static boolean reached(Map<Integer, Long> stable, Map<Integer, Long> ends) {
        return ends.entrySet().stream().allMatch(end -> stable.getOrDefault(end.getKey(), 0L) >= end.getValue());
    }

    private void judge(Judge judge, Observer observer, long sent) throws Exception {
        var oracle = judge.oracle();
        violations.addAll(Checkers.input(oracle, sent));
        var outputs = judge.outputs();
        violations.addAll(Checkers.outputs(
                oracle,
                judge.committed(),
                outputs.stream()
                        .map(each -> each.stream().map(Observer.Seen::value).toList())
                        .toList()));
        waitFor("the observer", Duration.ofSeconds(5), () -> observer.seen().equals(outputs));
        violations.addAll(Checkers.sameLog(observer.seen(), outputs));
        violations.addAll(judge.judgeCheckpoints(oracle, seed));
        judge.checkpoints()
                .values()
                .forEach(checkpoint -> tally.add(
                        checkpoint.outcome() == Outcome.COMPLETE ? "checkpoints completed" : "checkpoints abandoned",
                        1));
        chronicle.note("judged: " + violations.size() + " violations");
    }

    private void check(boolean holds, String otherwise) {
        if (!holds) {
            violations.add("the fault itself: " + otherwise);
        }
    }

    private void require(String what, Duration atMost, Callable<Boolean> condition) {
        if (!waitFor(what, atMost, condition)) {
            throw new IllegalStateException("There was not " + what + " within " + atMost.toSeconds() + " s");
        }
    }

    /** Whether it holds within the time; a broker that does not answer says that it does not. */
    private boolean waitFor(String what, Duration atMost, Callable<Boolean> condition) {
        long until = clock.millis() + atMost.toMillis();
        @Nullable Exception last = null;
        do {
            try {
                if (condition.call()) {
                    return true;
                }
            } catch (Exception e) {
                last = e;
            }
            Pause.real().await(Duration.ofMillis(100));
        } while (clock.millis() < until);
        chronicle.note("waited in vain for " + what + (last == null ? "" : ": " + last));
        return false;
    }
}
