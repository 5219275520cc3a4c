package dev.weir.torture;

import dev.weir.fixture.ProxyFault;
import dev.weir.torture.Plan.Step;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.kafka.common.protocol.ApiKeys;

/** Strikes workers, brokers, the network between them and the object store; each says whether it really happened. */
final class Faults {

    /** Past the session's and the transaction's timeout. */
    private static final long ZOMBIE_MILLIS = 12_500;

    private static final long POINT_MILLIS = 25_000;
    /** A worker has to start, to get tasks and to begin to restore them. */
    private static final long RESTORE_MILLIS = 45_000;

    private static final int ATTEMPTS = 2;

    private final Scene scene;

    Faults(Scene scene) {
        this.scene = scene;
    }

    void strike(Step step) {
        switch (step.kind()) {
            case KILL -> kill(scene.standing(step.worker()));
            case POINT -> killAt(List.of(Point.values()).get(step.number()), step.worker());
            case ZOMBIE -> freeze(scene.standing(step.worker()));
            case LOST_COMMIT -> loseCommit(step.number());
            case STORE -> failStore(List.of(StoreFault.values()).get(step.number()), step.worker());
            case CONNECTION -> spoilConnections(step.number(), scene.standing(step.worker()));
            case BROKER_KILL -> killBroker(step.number());
            case STORM -> storm();
            case ROLL -> roll();
            case ROLL_BROKERS -> rollBrokers();
            default -> throw new IllegalArgumentException(step + " is for the machine");
        }
    }

    private void kill(WorkerChild worker) {
        int code = worker.doomed().kill();
        scene.chronicle.note("killed " + worker.name() + ", exit code " + code);
        scene.check(code == Orders.KILLED, "a killed worker ended with " + code);
        scene.tally.add("kill: random", 1);
        worker.start();
    }

    private void killAt(Point point, int number) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (diesAt(point, scene.standing(number + attempt))) {
                scene.tally.add("kill: " + point, 1);
                return;
            }
        }
        scene.tally.add("missed: " + point, 1);
    }

    private boolean diesAt(Point point, WorkerChild worker) {
        if (point == Point.RESTORE) {
            startAnew(worker);
        }
        long before = worker.noted("died " + point);
        worker.doomed().tell("die " + point + " 1");
        scene.chronicle.note("told " + worker.name() + " to die at " + point);
        scene.waitFor(
                worker.name() + " to die",
                Duration.ofMillis(point == Point.RESTORE ? RESTORE_MILLIS : POINT_MILLIS),
                () -> !worker.isAlive());
        if (worker.isAlive()) {
            worker.process().tell("calm");
            worker.process().endsWithin(300);
        }
        if (worker.isAlive()) {
            worker.spare();
            scene.chronicle.note(worker.name() + " did not get to " + point);
            return false;
        }
        int code = worker.process().await(1);
        scene.check(code == Orders.KILLED, "a worker that died at " + point + " ended with " + code);
        scene.check(worker.noted("died " + point) == before + 1, "a worker ended somewhere else than at " + point);
        scene.chronicle.note(worker.name() + " died at " + point);
        worker.start();
        return true;
    }

    /** Kills it, and starts it on an empty disk. */
    private void startAnew(WorkerChild worker) {
        worker.doomed().kill();
        worker.wipe();
        worker.start();
    }

    private void freeze(WorkerChild worker) {
        worker.process().signal("STOP");
        scene.chronicle.note("stopped " + worker.name());
        scene.waitFor("state T", Duration.ofSeconds(5), () -> worker.process().state() == 'T');
        scene.frozen(worker, ZOMBIE_MILLIS);
    }

    private void loseCommit(int how) {
        Function<ProxyFault.Chosen, ProxyFault> loss =
                switch (how) {
                    case 0 -> ProxyFault.Chosen::loseReplies;
                    case 1 -> ProxyFault.Chosen::swallowReplies;
                    default -> ProxyFault.Chosen::loseRequests;
                };
        var faults = scene.cluster.proxies().stream()
                .map(proxy -> loss.apply(proxy.on(ApiKeys.END_TXN)
                        .from(scene.domain + "." + Ledger.NAME)
                        .times(1)))
                .toList();
        try {
            boolean lost = scene.waitFor("a commit to lose", Duration.ofSeconds(20), () -> hits(faults) > 0);
            if (lost && how == 1) {
                scene.rest(4_000);
            }
            long hits = hits(faults);
            scene.chronicle.note("lost " + hits + (how == 2 ? " commits" : " replies to commits")
                    + (how == 1 ? ", in silence" : ""));
            scene.tally.add(
                    !lost ? "missed: lost commit" : how == 2 ? "lost commits: requests" : "lost commits: replies",
                    Math.max(1, hits));
        } finally {
            faults.forEach(ProxyFault::close);
        }
    }

    private static long hits(List<ProxyFault> faults) {
        return faults.stream().mapToLong(ProxyFault::hits).sum();
    }

    /** The store fails for one worker; if it is away, for all. */
    private void failStore(StoreFault fault, int number) {
        var worker = scene.standing(number);
        if (fault == StoreFault.CORRUPT) {
            startAnew(worker);
        }
        var struck = fault == StoreFault.AWAY ? scene.workers : List.of(worker);
        long before = struck(struck, fault);
        struck.forEach(each -> each.gate().fail(fault));
        scene.chronicle.note("the store is " + fault + " for " + names(struck));
        boolean some = scene.waitFor(
                "a request that the fault has struck",
                Duration.ofMillis(fault == StoreFault.CORRUPT ? RESTORE_MILLIS : POINT_MILLIS),
                () -> struck(struck, fault) > before);
        if (some) {
            scene.rest(
                    fault == StoreFault.AWAY || fault == StoreFault.HANGING
                            ? 6_000
                            : fault == StoreFault.CORRUPT ? 1_500 : 3_000);
        }
        struck.forEach(each -> each.gate().calm());
        long hits = struck(struck, fault) - before;
        scene.tally.add(some ? "store: " + fault : "missed: store " + fault, 1);
        scene.tally.add("store requests struck", hits);
        scene.chronicle.note("the store was " + fault + " for " + names(struck) + ", " + hits + " requests");
        if (fault == StoreFault.CORRUPT) {
            // A task that has read something altered stops for good; its process is started again.
            worker.doomed().kill();
            worker.start();
        }
    }

    private static long struck(List<WorkerChild> workers, StoreFault fault) {
        return workers.stream().mapToLong(worker -> worker.gate().struck(fault)).sum();
    }

    private static String names(List<WorkerChild> workers) {
        return String.join(", ", workers.stream().map(WorkerChild::name).toList());
    }

    /** Replies are late for a while, or all connections of a worker's thread are cut. */
    private void spoilConnections(int how, WorkerChild worker) {
        if (how == 0) {
            var late = scene.cluster.proxies().stream()
                    .map(proxy -> proxy.on().delayReplies(Duration.ofMillis(150)))
                    .toList();
            scene.rest(3_000);
            late.forEach(ProxyFault::close);
            scene.check(hits(late) > 0, "no reply of a broker was late");
            scene.tally.add("connections: late replies", hits(late));
            scene.chronicle.note(hits(late) + " replies of brokers were late");
        } else {
            var cut = new AtomicInteger();
            boolean some = scene.waitFor(
                    "connections to cut",
                    Duration.ofSeconds(10),
                    () -> cut.addAndGet(scene.cluster.proxies().stream()
                                    .mapToInt(proxy -> proxy.cut(scene.domain))
                                    .sum())
                            > 0);
            scene.check(some, "no connection was cut, though " + worker.name() + " stands");
            scene.tally.add("connections: cut", cut.get());
            scene.chronicle.note("cut " + cut + " connections to brokers");
        }
    }

    /** One of three is killed, and is away for three seconds; other faults go on. */
    private void killBroker(int index) {
        scene.require("three sound brokers", Duration.ofSeconds(120), scene.cluster::isSound);
        int code = scene.cluster.kill(index);
        scene.brokerDead(index, 3_000);
        scene.chronicle.note("killed broker " + (index + 1) + ", exit code " + code);
        scene.check(code == Orders.KILLED, "a killed broker ended with " + code);
        scene.tally.add("broker kills", 1);
    }

    /** Each broker is stopped in good order and started again when all others are sound. */
    private void rollBrokers() {
        for (int index = 0; index < Cluster.NODES; index++) {
            scene.require("three sound brokers", Duration.ofSeconds(120), scene.cluster::isSound);
            int code = scene.cluster.stop(index);
            scene.chronicle.note("stopped broker " + (index + 1) + ", exit code " + code);
            scene.cluster.launch(index);
            scene.tally.add("brokers rolled", 1);
        }
        scene.require("three sound brokers", Duration.ofSeconds(120), scene.cluster::isSound);
    }

    /** Other workers come, and go as soon as they are members: in good order, and killed. */
    private void storm() {
        var guest = scene.worker(Scene.WORKERS);
        for (int i = 0; i < 4; i++) {
            guest.start();
            boolean member = scene.waitFor("a guest to be a member", Duration.ofSeconds(20), () -> scene.judge
                    .members()
                    .containsKey(guest.instance()));
            if (i % 2 == 0) {
                scene.rest(1_000);
                guest.process().terminate();
                if (!guest.process().endsWithin(20_000)) {
                    scene.violations.add("I11: a guest that was asked to stop did not end in 20 s");
                    guest.process().kill();
                }
            } else {
                guest.process().kill();
            }
            scene.chronicle.note("a guest came" + (member ? "" : ", was no member") + " and went, exit code "
                    + guest.process().await(1));
            scene.tally.add(member ? "rebalances: guests" : "missed: guest", 1);
        }
    }

    /** Each worker is stopped in good order and started again. */
    private void roll() {
        for (var worker : scene.workers) {
            scene.attend();
            if (!scene.isFrozen(worker) && worker.isAlive()) {
                worker.doomed().terminate();
                if (!worker.process().endsWithin(20_000)) {
                    scene.violations.add("I11: " + worker.name() + " was asked to stop and did not end in 20 s");
                    worker.process().kill();
                }
                scene.chronicle.note("stopped " + worker.name() + " in good order, exit code "
                        + worker.process().await(1));
                scene.tally.add("rebalances: rolled", 1);
                worker.start();
            }
        }
    }
}
