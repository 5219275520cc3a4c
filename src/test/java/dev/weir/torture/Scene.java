package dev.weir.torture;

import dev.weir.time.Clock;
import dev.weir.time.Pause;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Whom a seed strikes, what was done to them, and what is to be undone when its time comes. One thread uses it. */
final class Scene {

    static final int PARTITIONS = 6;
    static final int WORKERS = 3;

    final Clock clock = Clock.system();
    final Path folder;
    final String domain;
    final Classes classes;
    final Cluster cluster;
    final Site site;
    final Stores stores;
    final Judge judge;
    final Chronicle chronicle;
    final Tally tally;
    final List<String> violations;
    final List<WorkerChild> workers = new ArrayList<>();
    private final Map<WorkerChild, Long> zombies = new LinkedHashMap<>();
    private final Map<Integer, Long> deadBrokers = new LinkedHashMap<>();

    /** What all seeds of a campaign use. */
    record Surroundings(Classes classes, Cluster cluster, Site site) {}

    /** What is written down of a seed. */
    record Record(Chronicle chronicle, Tally tally, List<String> violations) {}

    Scene(Surroundings surroundings, String domain, Path folder, Stores stores, Record record) {
        this.classes = surroundings.classes();
        this.cluster = surroundings.cluster();
        this.site = surroundings.site();
        this.domain = domain;
        this.folder = folder;
        this.stores = stores;
        this.judge = new Judge(cluster.direct(), domain, PARTITIONS, folder, stores.direct());
        this.chronicle = record.chronicle();
        this.tally = record.tally();
        this.violations = record.violations();
        for (int number = 0; number < WORKERS; number++) {
            workers.add(worker(number));
        }
    }

    /** A worker of this number, which is not started. */
    WorkerChild worker(int number) {
        return new WorkerChild(folder, classes, domain, cluster.proxied(), stores.gate(), number);
    }

    /** The worker of this number, or the next one, that works and is not frozen. If none does for a while, one that only lives. */
    WorkerChild standing(int number) {
        waitFor("a worker that works", Duration.ofSeconds(20), () -> inTurn(number)
                .anyMatch(WorkerChild::isWorking));
        return Stream.concat(inTurn(number).filter(WorkerChild::isWorking), inTurn(number))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("No worker stands"));
    }

    private Stream<WorkerChild> inTurn(int number) {
        return IntStream.range(0, WORKERS)
                .mapToObj(i -> workers.get((number + i) % WORKERS))
                .filter(worker -> worker.isAlive() && !isFrozen(worker));
    }

    boolean isFrozen(WorkerChild worker) {
        return zombies.containsKey(worker);
    }

    /** It is stopped by a signal, until so long from now. */
    void frozen(WorkerChild worker, long millis) {
        zombies.put(worker, clock.millis() + millis);
    }

    /** It is dead, until so long from now. */
    void brokerDead(int index, long millis) {
        deadBrokers.put(index, clock.millis() + millis);
    }

    /** Undoes what it is time to undo, and starts those again that have ended of something that we had done. */
    void attend() {
        for (var worker : List.copyOf(zombies.keySet())) {
            if (clock.millis() >= zombies.getOrDefault(worker, 0L)) {
                wake(worker);
            }
        }
        for (var index : List.copyOf(deadBrokers.keySet())) {
            if (clock.millis() >= deadBrokers.getOrDefault(index, 0L)) {
                deadBrokers.remove(index);
                cluster.launch(index);
                chronicle.note("started broker " + (index + 1) + " again");
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

    private void wake(WorkerChild worker) {
        boolean removed = isRemoved(worker);
        check(worker.process().state() == 'T', "a stopped worker was not in state T");
        worker.process().signal("CONT");
        zombies.remove(worker);
        tally.add("zombies", 1);
        tally.add("zombies removed from the group", removed ? 1 : 0);
        chronicle.note("woke " + worker.name() + (removed ? ", which was no member any more" : ", still a member"));
    }

    /** Whether the brokers say that it is no member of its group. */
    boolean isRemoved(WorkerChild worker) {
        try {
            return !judge.members().containsKey(worker.instance());
        } catch (Exception unknown) {
            return false;
        }
    }

    /** Waits so long, and attends to what is to be undone meanwhile. */
    void rest(long millis) {
        long until = clock.millis() + millis;
        do {
            attend();
            Pause.real().await(Duration.ofMillis(50));
        } while (clock.millis() < until);
    }

    /** Waits until nothing is left to be undone. */
    void heal() {
        while (!zombies.isEmpty() || !deadBrokers.isEmpty()) {
            rest(200);
        }
        workers.forEach(worker -> {
            worker.process().tell("calm");
            worker.gate().calm();
        });
        require("three sound brokers", Duration.ofSeconds(120), cluster::isSound);
    }

    /** A fault that did not do what it should is as bad as a violation. */
    void check(boolean holds, String otherwise) {
        if (!holds) {
            violations.add("the fault itself: " + otherwise);
            chronicle.note("not as it should be: " + otherwise);
        }
    }

    /** Something that this machine does not let us do. */
    void impossible(String what, String why) {
        tally.add("not possible here: " + what, 1);
        chronicle.note("not possible here: " + what + ": " + why);
    }

    void require(String what, Duration atMost, Callable<Boolean> condition) {
        if (!waitFor(what, atMost, condition)) {
            throw new IllegalStateException("There was not " + what + " within " + atMost.toSeconds() + " s");
        }
    }

    /** Whether it holds within the time; brokers that do not answer say that it does not. */
    boolean waitFor(String what, Duration atMost, Callable<Boolean> condition) {
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
            rest(50);
        } while (clock.millis() < until);
        chronicle.note("waited in vain for " + what + (last == null ? "" : ": " + last));
        return false;
    }
}
