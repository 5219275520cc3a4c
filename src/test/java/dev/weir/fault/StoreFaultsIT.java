package dev.weir.fault;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.failure.TransientException;
import dev.weir.fixture.ForwardingStore;
import dev.weir.fixture.KafkaBroker;
import dev.weir.fixture.LocalS3;
import dev.weir.snapshot.Manifest.Delta;
import dev.weir.snapshot.Manifest.Range;
import dev.weir.snapshot.s3.S3ObjectStore;
import dev.weir.snapshot.s3.S3Settings;
import dev.weir.snapshot.s3.S3Settings.Addressing;
import dev.weir.status.TaskStatus;
import dev.weir.status.ThreadStatus.Phase;
import dev.weir.worker.WorkerSettings.Departure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** What may happen to the object store, to the disk, and to a restore from either. */
class StoreFaultsIT {

    @Test
    @DisplayName(
            "upload-exceeds-timeout (F6, I1, I2, I11): the epoch is given up, inputs wait for the store, nothing is lost or doubled")
    void uploadExceedsTimeout() throws Exception {
        var slow = new AtomicBoolean();
        var refused = new AtomicInteger();
        var late = new Barrier();
        try (var rig = Rig.create(setup -> {
            setup.transactionTimeout = Duration.ofMillis(4_500);
            setup.request = Duration.ofSeconds(2);
        })) {
            var a = rig.service("a")
                    .withoutCoordinator()
                    .withObjects(real -> new ForwardingStore(real) {
                        @Override
                        public void put(String name, byte[] content) {
                            if (slow.get() && !late.isReached()) {
                                late.pass();
                            } else if (slow.get()) {
                                refused.incrementAndGet();
                                throw new TransientException("Cannot write " + name + ": slow down");
                            }
                            super.put(name, content);
                        }

                        @Override
                        public void probe() {
                            if (slow.get()) {
                                refused.incrementAndGet();
                                throw new TransientException("Cannot probe: slow down");
                            }
                            super.probe();
                        }
                    })
                    .run();
            rig.service("leader").withoutWorkers().run();
            rig.produce(50);
            rig.finish();
            var positions = rig.positions();
            long ends = sum(rig.log().ends(rig.output()));
            long visible = visible(rig);
            int commits = a.events().commits.get();

            slow.set(true);
            rig.startTrickle(2, Duration.ofMillis(20));
            rig.await("an upload hangs", late::isReached);
            rig.await("the epoch is given up", () -> a.events().rollBacks.get() > 0);
            rig.await("it waits for the store", () -> a.status().get(0).phase() == Phase.WAITING_FOR_STORE);
            late.open();
            rig.await("probes are refused", () -> refused.get() >= 2);
            long processed = a.events().records.get();
            rig.await("and refused", () -> refused.get() >= 4);
            assertThat(a.events().records.get()).as("inputs are paused").isEqualTo(processed);
            assertThat(a.events().commits.get()).isBetween(commits, commits + 1);
            assertThat(sum(rig.log().ends(rig.output())))
                    .as("outputs were written")
                    .isGreaterThan(ends);
            assertThat(visible(rig)).as("and none of them is visible").isEqualTo(visible);
            assertThat(requireNonNull(rig.positions().get(0)) - requireNonNull(positions.get(0)))
                    .as("but for markers")
                    .isLessThan(10);

            slow.set(false);
            rig.await(
                    "it works again",
                    () -> a.status().get(0).phase() == Phase.RUNNING
                            && a.events().records.get() > processed);
            rig.finish();
        }
    }

    @Test
    @DisplayName(
            "upload-exceeds-timeout, bound of epochs (F6, I1): the epoch after one that was given up holds half as much")
    void uploadExceedsTimeoutHalvesTheBound() throws Exception {
        var slow = new AtomicBoolean();
        var watched = new AtomicBoolean();
        var late = new Barrier();
        var deltas = new CopyOnWriteArrayList<Integer>();
        try (var rig = Rig.create(setup -> {
            setup.partitions = 1;
            setup.keysPerPartition = 1_000_000;
            setup.overlayBytes = 256 << 10;
            setup.transactionTimeout = Duration.ofSeconds(12);
        })) {
            var a = rig.service("a")
                    .withoutCoordinator()
                    .withObjects(real -> new ForwardingStore(real) {
                        @Override
                        public void put(String name, byte[] content) {
                            if (watched.get() && name.contains("/objects/")) {
                                deltas.add(content.length);
                            }
                            if (slow.get() && !late.isReached()) {
                                late.pass();
                            } else if (slow.get()) {
                                throw new TransientException("Cannot write " + name + ": slow down");
                            }
                            super.put(name, content);
                        }

                        @Override
                        public void probe() {
                            if (slow.get()) {
                                throw new TransientException("Cannot probe: slow down");
                            }
                            super.probe();
                        }
                    })
                    .run();
            var leader = rig.service("leader").withoutWorkers().run();
            rig.produce(20);
            rig.finish();
            // Epochs end when they are full, not at barriers, nor because there is nothing more to read.
            leader.hold(Service.Part.COORDINATOR);
            a.hold(Service.Part.WORKERS);
            rig.produce(20_000);
            slow.set(true);
            watched.set(true);
            a.release(Service.Part.WORKERS);
            rig.await("a full epoch's upload hangs", late::isReached);
            rig.await("it is given up", () -> a.events().rollBacks.get() > 0);
            late.open();
            rig.await("it waits for the store", () -> a.status().get(0).phase() == Phase.WAITING_FOR_STORE);
            int full = deltas.get(0);
            deltas.clear();
            slow.set(false);
            rig.await("smaller and larger epochs are uploaded", () -> deltas.size() >= 3);
            assertThat(full).as("the epoch was full").isGreaterThan(50_000);
            assertThat(deltas.get(0)).as("the next one is smaller").isBetween(full / 8, full * 2 / 3);
            assertThat(deltas).as("until uploads succeed again").anyMatch(bytes -> bytes > full * 4 / 5);
            leader.release(Service.Part.COORDINATOR);
            rig.finish();
        }
    }

    private static long sum(Map<Integer, Long> offsets) {
        return offsets.values().stream().mapToLong(Long::longValue).sum();
    }

    private static long visible(Rig rig) {
        return rig.log().read(rig.output()).stream().mapToLong(List::size).sum();
    }

    @Test
    @DisplayName(
            "rocksdb-ahead-of-pointer (R18, I6): what a crash left on the disk is not opened again, be it ahead or behind")
    void rocksdbAheadOfPointer() throws Exception {
        try (var rig = Rig.create(setup -> setup.departure = Departure.LEAVE_GROUP)) {
            var a = rig.service("a").run();
            // Bases are taken of what is flushed, so that there is something on the disk.
            rig.startTrickle(2, Duration.ofMillis(20));
            rig.await(
                    "bases of both tasks",
                    () -> a.events().bases.get() >= 2
                            && rig.snapshot(0).base() != null
                            && rig.snapshot(1).base() != null);
            rig.finish();
            a.kill();
            rig.expelMembers(rig.group());
            rig.expelMembers(rig.electionGroup());
            // As if the dead process had flushed writes of an epoch that was never committed.
            int altered = 0;
            for (var directory : liveDirectories(a.disk())) {
                assertThat(directory.resolveSibling("clean")).doesNotExist();
                altered += addToAllTotals(directory, 1_000_000);
            }
            assertThat(altered).as("totals on the disk are ahead now").isPositive();
            rig.produce(80);
            int restores = a.events().restores.get();
            a.run();
            rig.finish();
            assertThat(a.events().restores.get()).isGreaterThanOrEqualTo(restores + 2);
            assertThat(a.events().restoredBytes.get())
                    .as("restored from the store")
                    .isPositive();
            a.stop();

            // Closed cleanly, but then somebody else went on.
            var b = rig.service("b").run();
            rig.produce(80);
            rig.finish();
            b.stop();
            for (var directory : liveDirectories(a.disk())) {
                assertThat(directory.resolveSibling("clean")).exists();
                addToAllTotals(directory, 1_000_000);
            }
            long downloaded = a.events().restoredBytes.get();
            a.run();
            rig.produce(80);
            rig.finish();
            assertThat(a.events().restoredBytes.get()).isGreaterThan(downloaded);
        }
    }

    /** Directories of stores, each a RocksDB. */
    private static List<Path> liveDirectories(Path disk) throws IOException {
        try (var all = Files.walk(disk)) {
            return all.filter(path -> path.getFileName().toString().matches("db-[0-9]+"))
                    .filter(path -> Files.exists(path.resolve("CURRENT")))
                    .toList();
        }
    }

    private static int addToAllTotals(Path directory, long amount) throws RocksDBException {
        int altered = 0;
        try (var options = new Options();
                var db = RocksDB.open(options, directory.toString());
                var flush = new FlushOptions().setWaitForFlush(true)) {
            try (var all = db.newIterator()) {
                for (all.seekToFirst(); all.isValid(); all.next()) {
                    if (all.value().length == Long.BYTES) {
                        long value = ByteBuffer.wrap(all.value()).getLong();
                        db.put(
                                all.key(),
                                ByteBuffer.allocate(Long.BYTES)
                                        .putLong(value + amount)
                                        .array());
                        altered++;
                    }
                }
            }
            db.flush(flush);
        }
        return altered;
    }

    private static String detail(Service service, int partition) {
        var task = service.task(partition);
        return task == null || task.phase() != TaskStatus.Phase.STOPPED || task.detail() == null ? "" : task.detail();
    }

    /** A service that has stopped, whose tasks 0 and 1 have bases, and deltas after them, and what else is asked for. */
    private static Service stoppedWithBasesAndDeltas(Rig rig, BooleanSupplier more) {
        var a = rig.service("a");
        for (int i = 0; i < 4; i++) {
            a.run();
            rig.startTrickle(3, Duration.ofMillis(20));
            rig.await(
                    "bases and deltas",
                    () -> hasBaseAndDeltas(rig, 0) && hasBaseAndDeltas(rig, 1) && more.getAsBoolean());
            rig.stopTrickle();
            rig.awaitCaughtUp();
            a.stop();
            if (hasBaseAndDeltas(rig, 0) && hasBaseAndDeltas(rig, 1) && more.getAsBoolean()) {
                return a;
            }
        }
        throw new AssertionError("Bases were never followed by deltas");
    }

    private static boolean hasBaseAndDeltas(Rig rig, int partition) {
        if (!rig.committed().containsKey(partition)) {
            return false;
        }
        var snapshot = rig.snapshot(partition);
        return snapshot.base() != null && !snapshot.deltas().isEmpty();
    }

    private static Range baseFile(Rig rig, int partition) {
        var base = rig.snapshot(partition).base();
        if (base == null) {
            throw new AssertionError("no base");
        }
        return base.files().stream()
                .filter(file -> file.name().endsWith(".sst"))
                .findFirst()
                .orElseThrow()
                .content();
    }

    private static void flipOneBit(Path object, Range range) throws IOException {
        var bytes = Files.readAllBytes(object);
        bytes[(int) (range.offset() + range.length() / 2)] ^= 1;
        object.toFile().setWritable(true);
        Files.write(object, bytes);
    }

    private static List<Sequence.Total> of(Rig rig, Set<Integer> partitions) {
        return rig.outputs().stream()
                .flatMap(List::stream)
                .filter(total -> partitions.contains(total.partition()))
                .toList();
    }

    @Test
    @DisplayName(
            "corrupt-object-refused (F7, R24): a task whose base or delta differs in one bit stops, the others go on")
    void corruptObjectRefused() throws Exception {
        try (var rig = Rig.create(StoreFaultsIT::threeTasks)) {
            var a = stoppedWithBasesAndDeltas(rig, () -> true);
            var base = baseFile(rig, 0);
            var delta = rig.snapshot(1).deltas().get(0).content();
            flipOneBit(rig.storeFolder().resolve(base.object()), base);
            flipOneBit(rig.storeFolder().resolve(delta.object()), delta);
            refuse(rig, a, Set.of(0, 1), List.of(base, delta), "SHA-256");
            a.stop();

            flipOneBit(rig.storeFolder().resolve(base.object()), base);
            flipOneBit(rig.storeFolder().resolve(delta.object()), delta);
            a.run();
            rig.finish();
        }
    }

    @Test
    @DisplayName("missing-object-refused (F7, R24): a task whose base lacks a file, or of which a delta is gone, stops")
    void missingObjectRefused(@TempDir Path data) throws Exception {
        LocalS3.useCredentials();
        try (var server = LocalS3.start(data);
                var store = S3ObjectStore.open(S3Settings.bucket(server.bucket())
                        .endpoint(server.endpoint())
                        .addressing(Addressing.PATH)
                        .build());
                var rig = Rig.on(KafkaBroker.shared(), StoreFaultsIT::threeTasksOfTheirOwnThreads, store)) {
            var a = stoppedWithBasesAndDeltas(
                    rig,
                    () -> rig.committed().containsKey(2)
                            && !deltasOfItsOwn(rig, 1).isEmpty());
            var gone = List.of(baseFile(rig, 0), deltasOfItsOwn(rig, 1).get(0));
            var kept = new ArrayList<byte[]>();
            for (var range : gone) {
                kept.add(store.get(range.object()));
                store.delete(List.of(range.object()));
            }
            refuse(rig, a, Set.of(0, 1), gone, "it is not in s3://");
            a.stop();

            for (int i = 0; i < gone.size(); i++) {
                store.put(gone.get(i).object(), kept.get(i));
            }
            a.run();
            rig.finish();
        }
    }

    /** Deltas of a task's state in objects that hold nothing of the other tasks' states. */
    private static List<Range> deltasOfItsOwn(Rig rig, int partition) {
        var others = new HashSet<String>();
        for (int other = 0; other < rig.partitions(); other++) {
            if (other != partition) {
                rig.snapshot(other)
                        .deltas()
                        .forEach(delta -> others.add(delta.content().object()));
            }
        }
        return rig.snapshot(partition).deltas().stream()
                .map(Delta::content)
                .filter(content -> !others.contains(content.object()))
                .toList();
    }

    /** A thread for each task, so that tasks do not share the objects of their deltas. */
    private static void threeTasksOfTheirOwnThreads(Setup setup) {
        threeTasks(setup);
        setup.concurrency = 3;
    }

    private static void threeTasks(Setup setup) {
        setup.partitions = 3;
        setup.departure = Departure.LEAVE_GROUP;
    }

    /** Starts on an empty disk and expects the tasks with damaged objects to stop for ever, and the third to go on. */
    private static void refuse(Rig rig, Service service, Set<Integer> damaged, List<Range> objects, String why) {
        var before = of(rig, damaged);
        var positions = rig.positions();
        service.wipeDisk();
        rig.produce(90);
        service.run();
        rig.await(
                "the damaged stop and the third runs",
                () -> service.running().equals(List.of(2))
                        && damaged.stream().noneMatch(partition -> detail(service, partition)
                                .isEmpty()));
        for (int partition : damaged) {
            assertThat(detail(service, partition))
                    .contains(objects.get(partition).object())
                    .contains(why)
                    .contains("restore from");
        }
        rig.await(
                "the third goes on",
                () -> rig.positions().getOrDefault(2, 0L) >= rig.sequence().end(2));
        rig.awaitNextCheckpoint();
        assertThat(of(rig, damaged)).as("nothing comes out of older state").isEqualTo(before);
        assertThat(rig.positions()).containsAllEntriesOf(Map.of(0, positions.get(0), 1, positions.get(1)));
    }
}
