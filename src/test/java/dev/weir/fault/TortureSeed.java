package dev.weir.fault;

import dev.weir.fault.S3Front.Fate;
import dev.weir.fault.S3Front.Purpose;
import dev.weir.fixture.KafkaProxy;
import dev.weir.fixture.LocalS3;
import dev.weir.fixture.ProxyFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.protocol.ApiKeys;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.springframework.util.FileSystemUtils;

/** One seed's worth of bad days for one domain: processes on real clients are killed, stopped and cut off while records come in. */
final class TortureSeed implements AutoCloseable {

    private static final int WORKERS = 3;
    private static final Duration ZOMBIE = Duration.ofSeconds(17);

    /** Where a process is killed on purpose, told by what it asks of the store or the brokers just then. */
    enum Point {
        DELTA_UPLOAD,
        BASE_UPLOAD,
        MANIFEST_UPLOAD,
        MANIFEST_WRITTEN,
        DECISION,
        POSITIONS_SENT,
        COMMIT_ASKED,
        COMMIT_DONE,
        RESTORE
    }

    private final long seed;
    private final Random random;
    private final BrokerProcess broker;
    private final KafkaProxy proxy;
    private final Path folder;
    private final Tally tally = new Tally();
    private final List<String> journal = new ArrayList<>();
    private final String prefix;
    private final Rig rig;
    private final Observer observer;
    private final List<S3Front> fronts = new ArrayList<>();
    private final Map<Integer, JavaProcess> workers = new HashMap<>();
    private final Map<Integer, Long> suspendedAt = new HashMap<>();
    private int starts;

    TortureSeed(long seed, BrokerProcess broker, KafkaProxy proxy, LocalS3 s3, Path folder) throws IOException {
        this.seed = seed;
        this.random = new Random(seed);
        this.broker = broker;
        this.proxy = proxy;
        this.folder = folder;
        this.prefix = "seed-" + seed;
        this.rig = Rig.on(broker, TortureWorker::set, TortureWorker.store(s3.endpoint(), prefix));
        this.observer = new Observer(broker.bootstrapServers(), rig.output(), rig.partitions());
        for (int worker = 0; worker < WORKERS; worker++) {
            fronts.add(new S3Front(s3.endpoint()));
        }
    }

    Tally tally() {
        return tally;
    }

    List<String> journal() {
        return journal;
    }

    /** Does it all, and judges. */
    void run() throws Exception {
        for (int worker = 0; worker < WORKERS; worker++) {
            start(worker);
        }
        rig.startTrickle(60, Duration.ofMillis(50));
        rig.await("a first checkpoint", Duration.ofSeconds(90), () -> rig.highestComplete() > 0);
        for (var fault : plan()) {
            supervise();
            fault.run();
            pause(500 + random.nextInt(2_500));
        }
        heal();
        judge();
    }

    private List<Runnable> plan() {
        var plan = new ArrayList<Runnable>();
        for (int i = 0; i < 7; i++) {
            plan.add(this::killAny);
        }
        var points = new ArrayList<>(List.of(Point.values()));
        // Each point comes up in every third seed.
        for (int i = 0; i < 3; i++) {
            var point = points.get((int) ((seed * 3 + i) % points.size()));
            plan.add(() -> killAt(point));
        }
        for (int i = 0; i < 2; i++) {
            plan.add(this::suspend);
            plan.add(this::loseCommit);
        }
        for (int i = 0; i < 4; i++) {
            int kind = (int) ((seed + i) % 5);
            plan.add(() -> breakStore(kind));
        }
        plan.add(seed % 3 == 0 ? this::killBroker : this::storm);
        Collections.shuffle(plan, random);
        return plan;
    }

    private void start(int worker) {
        try {
            workers.put(
                    worker,
                    JavaProcess.start(
                            folder.resolve("worker-" + worker + "-" + ++starts + ".log"),
                            List.of("-Xmx160m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"),
                            TortureWorker.class.getName(),
                            List.of(
                                    proxy.bootstrapServers(),
                                    rig.domain(),
                                    rig.input(),
                                    rig.output(),
                                    name(worker),
                                    disk(worker).toString(),
                                    fronts.get(worker).endpoint().toString(),
                                    prefix)));
            note("start " + name(worker));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(int worker) {
        return "w" + worker;
    }

    private Path disk(int worker) {
        return folder.resolve("disk-" + worker);
    }

    /** How the client ids of a worker's transactional producers and consumers begin. */
    private String slot(int worker) {
        return rig.group() + "." + name(worker) + ".";
    }

    /** What a cluster does for pods: whoever has ended is started again; who has slept long enough wakes. */
    private void supervise() {
        for (int worker = 0; worker < WORKERS; worker++) {
            var since = suspendedAt.get(worker);
            if (since != null && System.nanoTime() - since >= ZOMBIE.toNanos()) {
                wake(worker);
            }
            var process = process(worker);
            if (!process.isAlive()) {
                if (process.exitValue() == TortureWorker.NEEDS_RESTART) {
                    tally.add("restarts by an operator");
                } else if (process.exitValue() != JavaProcess.KILLED) {
                    throw new AssertionError(name(worker) + " ended with " + process.exitValue() + "\n" + journal);
                }
                start(worker);
            }
        }
    }

    private JavaProcess process(int worker) {
        var process = workers.get(worker);
        if (process == null) {
            throw new IllegalStateException("no worker " + worker);
        }
        return process;
    }

    private int anyAwake() {
        while (true) {
            int worker = random.nextInt(WORKERS);
            if (!suspendedAt.containsKey(worker)) {
                if (!process(worker).isAlive()) {
                    start(worker);
                }
                return worker;
            }
        }
    }

    private void killAny() {
        int worker = anyAwake();
        kill(worker);
        tally.add("kills at random");
    }

    private void kill(int worker) {
        process(worker).kill();
        boolean lost = random.nextInt(3) == 0;
        note("killed " + name(worker) + (lost ? ", its disk is lost" : ""));
        if (lost) {
            wipe(worker);
        }
    }

    private void wipe(int worker) {
        try {
            FileSystemUtils.deleteRecursively(disk(worker));
            tally.add("disks lost");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void killAt(Point point) {
        int worker = anyAwake();
        switch (point) {
            case DELTA_UPLOAD -> killAtStore(point, worker, Purpose.DELTA, false);
            case BASE_UPLOAD -> killAtStore(point, worker, Purpose.BASE, false);
            case MANIFEST_UPLOAD -> killAtStore(point, worker, Purpose.MANIFEST, false);
            case MANIFEST_WRITTEN -> killAtStore(point, worker, Purpose.MANIFEST, true);
            case DECISION -> killAtStore(point, -1, Purpose.DECISION, random.nextBoolean());
            case RESTORE -> {
                process(worker).kill();
                wipe(worker);
                start(worker);
                killAtStore(point, worker, Purpose.RESTORE, false);
            }
            case POSITIONS_SENT -> killAtBroker(point, worker, proxy.on(ApiKeys.TXN_OFFSET_COMMIT), false);
            case COMMIT_ASKED -> killAtBroker(point, worker, proxy.on(ApiKeys.END_TXN), random.nextBoolean());
            case COMMIT_DONE -> {
                try (var fault =
                        proxy.on(ApiKeys.END_TXN).from(slot(worker)).times(1).holdReplies()) {
                    killOnHit(point, worker, fault);
                }
            }
        }
    }

    /** In some the request gets to the broker after its sender's death, in others never. */
    private void killAtBroker(Point point, int worker, ProxyFault.Chosen chosen, boolean late) {
        if (late) {
            try (var fault = chosen.from(slot(worker)).times(1).holdRequests()) {
                killOnHit(point, worker, fault);
            }
        } else {
            try (var fault = chosen.from(slot(worker)).times(1).loseRequests()) {
                killOnHit(point, worker, fault);
            }
        }
    }

    private void killOnHit(Point point, int worker, ProxyFault fault) {
        try {
            fault.awaitHits(1, Duration.ofSeconds(20));
        } catch (AssertionError | ConditionTimeoutException e) {
            missed(point, worker);
            return;
        }
        process(worker).kill();
        struck(point, worker);
    }

    private void killAtStore(Point point, int only, Purpose purpose, boolean answered) {
        var until = new CountDownLatch(1);
        var hit = new CountDownLatch(1);
        var taken = new AtomicBoolean();
        var who = new int[] {only};
        for (int worker = 0; worker < WORKERS; worker++) {
            if (only >= 0 && worker != only) {
                continue;
            }
            int self = worker;
            fronts.get(worker).rule((what, method, path) -> {
                if (what != purpose || !taken.compareAndSet(false, true)) {
                    return new Fate.Served();
                }
                who[0] = self;
                hit.countDown();
                return answered ? new Fate.AnsweredLate(until) : new Fate.Late(until);
            });
        }
        try {
            if (!hit.await(20, TimeUnit.SECONDS) || suspendedAt.containsKey(who[0])) {
                missed(point, only);
            } else {
                process(who[0]).kill();
                struck(point, who[0]);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            fronts.forEach(S3Front::heal);
            until.countDown();
        }
    }

    private void struck(Point point, int worker) {
        note("killed " + name(worker) + " at " + point);
        tally.add("kills at " + point);
    }

    private void missed(Point point, int worker) {
        note("worker " + worker + " did not come to " + point);
        tally.add("points not met");
    }

    private void suspend() {
        if (suspendedAt.size() >= WORKERS - 1) {
            pause(3_000);
            return;
        }
        int worker = anyAwake();
        process(worker).suspend();
        suspendedAt.put(worker, System.nanoTime());
        note("suspended " + name(worker));
    }

    private void wake(int worker) {
        boolean member = members().contains(slot(worker) + "0");
        process(worker).resume();
        suspendedAt.remove(worker);
        note("woke " + name(worker) + (member ? ", still a member" : ", expelled meanwhile"));
        tally.add(member ? "sleepers that stayed members" : "zombies");
    }

    private Set<String> members() {
        var group = Rig.get(
                        rig.admin().describeConsumerGroups(List.of(rig.group())).all())
                .get(rig.group());
        var ids = new HashSet<String>();
        if (group != null) {
            group.members().forEach(member -> member.groupInstanceId().ifPresent(ids::add));
        }
        return ids;
    }

    private void loseCommit() {
        try (var fault =
                proxy.on(ApiKeys.END_TXN).from(rig.group() + ".").times(1).loseReplies()) {
            fault.awaitHits(1, Duration.ofSeconds(30));
            note("lost the reply to a commit of " + fault.struck().get(0).clientId());
            tally.add("commits lost");
        } catch (AssertionError | ConditionTimeoutException e) {
            note("no commit to be lost");
            tally.add("points not met");
        }
    }

    private void breakStore(int kind) {
        var held = new CountDownLatch(1);
        String name =
                switch (kind) {
                    case 0 -> "errors";
                    case 1 -> "slow";
                    case 2 -> "hanging";
                    case 3 -> "away";
                    default -> "altering";
                };
        S3Front.Rule rule = (what, method, path) -> switch (kind) {
            case 0 -> new Fate.Refused(path.hashCode() % 2 == 0 ? 500 : 503);
            case 1 -> new Fate.Late(opensIn(900));
            case 2 -> new Fate.Late(held);
            case 3 -> new Fate.Cut();
            default -> what == Purpose.RESTORE ? new Fate.Altered() : new Fate.Served();
        };
        long before = struck();
        fronts.forEach(front -> front.rule(rule));
        if (kind == 4) {
            int worker = anyAwake();
            process(worker).kill();
            wipe(worker);
            start(worker);
        }
        pause(kind == 1 || kind == 4 ? 6_000 : 1_000 + random.nextInt(5_000));
        try {
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> struck() > before);
        } catch (ConditionTimeoutException e) {
            note("the store was not asked while " + name);
        }
        fronts.forEach(S3Front::heal);
        held.countDown();
        long hits = struck() - before;
        note("store " + name + ", " + hits + " requests struck");
        tally.add("store faults: " + name, hits > 0 ? 1 : 0);
        tally.add("store requests struck", hits);
    }

    private static CountDownLatch opensIn(long millis) {
        var latch = new CountDownLatch(1);
        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS).execute(latch::countDown);
        return latch;
    }

    private long struck() {
        return fronts.stream().mapToLong(S3Front::struck).sum();
    }

    private void killBroker() {
        broker.killAndRestart();
        note("broker killed and started again");
        tally.add("broker kills");
    }

    /** Members come and go every two seconds. */
    private void storm() {
        for (int i = 0; i < 5; i++) {
            int worker = anyAwake();
            if (random.nextBoolean()) {
                process(worker).kill();
                tally.add("kills in storms");
            } else {
                process(worker).end(Duration.ofSeconds(30));
                tally.add("stops in storms");
            }
            pause(700);
            start(worker);
            pause(1_300);
        }
        note("storm over");
        tally.add("storms");
    }

    private void heal() {
        for (int worker : List.copyOf(suspendedAt.keySet())) {
            long rest = ZOMBIE.toMillis() - (System.nanoTime() - suspendedAt.getOrDefault(worker, 0L)) / 1_000_000;
            pause(Math.max(0, rest));
            wake(worker);
        }
        fronts.forEach(S3Front::heal);
        supervise();
        note("healed");
    }

    /** After the faults everything must come right by itself, and nothing may be wrong. */
    private void judge() throws Exception {
        long healed = System.nanoTime();
        rig.stopTrickle();
        var supervised = new Thread(this::superviseUntilInterrupted, "supervisor");
        supervised.start();
        try {
            rig.awaitCaughtUp();
            rig.awaitNextCheckpoint();
        } finally {
            supervised.interrupt();
            supervised.join();
        }
        tally.max("slowest recovery, ms", (System.nanoTime() - healed) / 1_000_000);
        workers.values().forEach(worker -> worker.end(Duration.ofSeconds(40)));
        rig.check();
        var log = rig.log().read(rig.output());
        int records = log.stream().mapToInt(List::size).sum();
        rig.await("the observer has read everything", () -> observer.size() >= records);
        observer.check(log);
        if (!rig.log().stableEnds(rig.input()).equals(rig.log().ends(rig.input()))) {
            throw new AssertionError("A transaction is open in the input");
        }
        tally.add("records", records);
        rig.checkpoints().values().forEach(checkpoint -> tally.add("checkpoints " + checkpoint.outcome()));
        note("judged: " + records + " records");
    }

    private void superviseUntilInterrupted() {
        while (!Thread.currentThread().isInterrupted()) {
            supervise();
            try {
                Thread.sleep(500);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void note(String what) {
        synchronized (journal) {
            journal.add(LocalTime.now() + " " + what);
        }
    }

    /** The pace of the faults; nothing is waited for here. */
    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws Exception {
        workers.values().forEach(worker -> {
            if (worker.isAlive()) {
                worker.end(Duration.ZERO);
            }
        });
        observer.close();
        for (var front : fronts) {
            front.close();
        }
        rig.close();
    }
}
