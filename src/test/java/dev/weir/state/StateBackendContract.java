package dev.weir.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.CorruptionException;
import dev.weir.failure.TransientException;
import dev.weir.topology.TaskId;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every state backend must do. */
public abstract class StateBackendContract {

    protected static final TaskId TASK = new TaskId("orders", 3);
    protected static final TaskId OTHER = new TaskId("orders", 10);

    protected StateBackend backend;

    /** A backend on an empty disk. */
    protected abstract StateBackend create() throws Exception;

    /** The process of the backend dies; the backend of the next one on the same disk. */
    protected abstract StateBackend restart(StateBackend before) throws Exception;

    @BeforeEach
    void createBackend() throws Exception {
        backend = create();
    }

    @AfterEach
    void closeBackend() {
        backend.close();
    }

    @Test
    void anEmptyStoreHoldsNothingAtEpochZero() {
        TaskStore store = backend.openEmpty(TASK);
        assertThat(store.epoch()).isZero();
        assertThat(store.get(key("a"))).isNull();
        assertThat(all(store)).isEmpty();
    }

    @Test
    void appliesAnEpochWithItsNumber() {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(4, "a", "1", "b", "2"));
        store.apply(changes(5, "a", null, "b", "3", "c", "4"));
        assertThat(store.epoch()).isEqualTo(5);
        assertThat(store.get(key("a"))).isNull();
        assertThat(all(store)).isEqualTo(Map.of("b", "3", "c", "4"));
    }

    @Test
    void tellsAnEmptyValueFromNoValue() {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(1, "a", "", "", "v"));
        assertThat(store.get(key("a"))).isNotNull().isEmpty();
        assertThat(store.get(key(""))).isEqualTo(bytes("v"));
        assertThat(all(store)).isEqualTo(Map.of("a", "", "", "v"));
    }

    @Test
    void scansOnlyThePrefixInUnsignedOrder() {
        TaskStore store = backend.openEmpty(TASK);
        Map<Bytes, byte @Nullable []> entries = new HashMap<>();
        byte[][] mapKeys = {{}, {0}, {0x7F}, {(byte) 0x80}, {(byte) 0xFF}, {(byte) 0xFF, 0}};
        for (byte[] owner : new byte[][] {{}, {1}, {1, (byte) 0xFF}, {2}, {(byte) 0xFF}}) {
            for (byte[] mapKey : mapKeys) {
                entries.put(Bytes.of(StorageKeys.mapEntry(7, owner, mapKey)), mapKey);
                entries.put(Bytes.of(StorageKeys.mapEntry(0xFFFF, owner, mapKey)), mapKey);
            }
        }
        store.apply(Changes.of(TASK, 1, entries));
        for (int state : new int[] {7, 0xFFFF}) {
            for (byte[] owner : new byte[][] {{}, {1}, {1, (byte) 0xFF}, {2}, {(byte) 0xFF}}) {
                List<byte[]> found = new ArrayList<>();
                store.scan(StorageKeys.mapPrefix(state, owner), (k, v) -> found.add(StorageKeys.mapKeyOf(k)));
                assertThat(found).containsExactly(mapKeys);
            }
        }
        List<byte[]> everything = new ArrayList<>();
        store.scan(new byte[0], (k, v) -> everything.add(k));
        assertThat(everything).hasSize(entries.size()).allMatch(k -> !StorageKeys.isReserved(k));
    }

    @Test
    void stopsAScanWhenToldSo() {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(1, "a", "1", "b", "2", "c", "3"));
        List<String> seen = new ArrayList<>();
        store.scan(StorageKeys.statePrefix(1), (k, v) -> {
            seen.add(text(v));
            return seen.size() < 2;
        });
        assertThat(seen).containsExactly("1", "2");
    }

    @Test
    void refusesChangesThatAreNotTheNextOnesOfTheTask() {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(4, "a", "1"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.apply(changes(4, "a", "2")))
                .withMessageContaining("epoch 4");
        assertThatIllegalArgumentException().isThrownBy(() -> store.apply(changes(3, "a", "2")));
        assertThatIllegalArgumentException().isThrownBy(() -> store.advanceTo(3));
        assertThatIllegalArgumentException().isThrownBy(() -> store.apply(Changes.of(OTHER, 5, Map.of())));
        Map<Bytes, byte @Nullable []> reserved = Map.of(Bytes.of(new byte[] {0, 0, 'e'}), bytes("x"));
        assertThatIllegalArgumentException().isThrownBy(() -> store.apply(Changes.of(TASK, 5, reserved)));
        assertThat(store.epoch()).isEqualTo(4);
        assertThat(all(store)).isEqualTo(Map.of("a", "1"));
    }

    @Test
    void opensACleanlyClosedStoreOnceAtExactlyItsState() throws Exception {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(4, "a", "1"));
        store.advanceTo(6);
        backend.closeClean(TASK, store, "pointer\nof two lines");
        backend = restart(backend);
        TaskStore again = Objects.requireNonNull(backend.openClean(TASK, 6, "pointer\nof two lines"));
        assertThat(again.epoch()).isEqualTo(6);
        assertThat(all(again)).isEqualTo(Map.of("a", "1"));
        again.apply(changes(7, "a", "2"));
        backend = restart(backend);
        assertThat(backend.openClean(TASK, 6, "pointer\nof two lines")).isNull();
        assertThat(backend.openClean(TASK, 7, "pointer\nof two lines")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoch", "fingerprint", "closed", "crashed", "dirty"})
    void opensNothingElseAsClean(String difference) throws Exception {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(4, "a", "1"));
        switch (difference) {
            case "closed" -> store.close();
            case "crashed" -> backend = restart(backend);
            case "dirty" -> store.closeDirty();
            default -> backend.closeClean(TASK, store, "f");
        }
        long epoch = difference.equals("epoch") ? 5 : 4;
        String fingerprint = difference.equals("fingerprint") ? "g" : "f";
        assertThat(backend.openClean(TASK, epoch, fingerprint)).isNull();
        assertThat(backend.openClean(TASK, 4, "f")).isNull();
        assertThat(all(backend.openEmpty(TASK))).isEmpty();
    }

    @Test
    void openingEmptyForgetsWhatWasThere() {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(4, "a", "1"));
        backend.closeClean(TASK, store, "f");
        TaskStore fresh = backend.openEmpty(TASK);
        assertThat(fresh.epoch()).isZero();
        assertThat(all(fresh)).isEmpty();
        fresh.close();
        assertThat(backend.openClean(TASK, 4, "f")).isNull();
    }

    @Test
    void hasOneOpenStoreForATask() throws Exception {
        Base base = base(2, "a", "1");
        TaskStore store = backend.openEmpty(TASK);
        assertThatThrownBy(() -> backend.openEmpty(TASK))
                .isInstanceOf(TransientException.class)
                .hasMessageContaining("orders/3");
        assertThatThrownBy(() -> backend.openClean(TASK, 1, "f")).isInstanceOf(TransientException.class);
        StateBackend.Assembly assembly = assemble(base);
        assertThatThrownBy(() -> assembly.open(2)).isInstanceOf(TransientException.class);
        backend.openEmpty(OTHER).close();
        store.apply(changes(1, "b", "1"));
        store.close();
        backend.openEmpty(TASK).close();
    }

    @Test
    void refusesAClosedStore() {
        TaskStore store = backend.openEmpty(TASK);
        store.close();
        store.close();
        store.closeDirty();
        assertThatIllegalStateException().isThrownBy(() -> store.get(key("a"))).withMessageContaining("orders/3");
        assertThatIllegalStateException().isThrownBy(() -> store.scan(new byte[0], (k, v) -> true));
        assertThatIllegalStateException().isThrownBy(() -> store.apply(changes(1, "a", "1")));
        assertThatIllegalStateException().isThrownBy(store::checkpoint);
        assertThatIllegalStateException().isThrownBy(() -> backend.closeClean(TASK, store, "f"));
        assertThat(backend.openClean(TASK, 0, "f")).isNull();
    }

    @Test
    void refusesAStoreOfAnotherBackendOrTask() {
        TaskStore store = backend.openEmpty(TASK);
        TaskStore foreign = new InMemoryStateBackend().openEmpty(TASK);
        assertThatIllegalArgumentException().isThrownBy(() -> backend.closeClean(OTHER, store, "f"));
        if (!(store instanceof InMemoryTaskStore)) {
            assertThatIllegalArgumentException().isThrownBy(() -> backend.closeClean(TASK, foreign, "f"));
        }
        assertThat(store.get(key("a"))).isNull();
    }

    @Test
    void aBaseIsOfExactlyTheEpochOfItsCheckpoint() throws Exception {
        TaskStore store = backend.openEmpty(TASK);
        TreeMap<String, String> expected = new TreeMap<>();
        for (int epoch = 1; epoch <= 20; epoch++) {
            String[] entries = new String[100];
            for (int i = 0; i < 50; i++) {
                entries[2 * i] = "k" + (epoch * 17 + i * 31) % 400;
                entries[2 * i + 1] = "v" + epoch + "-" + i;
                expected.put(entries[2 * i], entries[2 * i + 1]);
            }
            store.apply(changes(epoch, entries));
        }
        store.advanceTo(21);
        try (TaskStore.LocalCheckpoint checkpoint = store.checkpoint()) {
            store.apply(changes(22, "later", "1"));
            assertThat(checkpoint.epoch()).isEqualTo(21);
            Base base = read(checkpoint);
            store.closeDirty();
            TaskStore restored = assemble(base).open(21);
            assertThat(restored.epoch()).isEqualTo(21);
            assertThat(all(restored)).isEqualTo(expected);
            restored.apply(changes(22, "a", "1"));
            assertThat(read(restored.checkpoint()).epoch()).isEqualTo(22);
        }
    }

    @Test
    void aCheckpointOfAnEmptyStoreCanBeOpened() throws Exception {
        Base base = base(0);
        TaskStore restored = assemble(base).open(0);
        assertThat(all(restored)).isEmpty();
        assertThat(restored.epoch()).isZero();
    }

    @Test
    void aCheckpointOutlivesItsStore() throws Exception {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(1, "a", "1"));
        TaskStore.LocalCheckpoint checkpoint = store.checkpoint();
        store.closeDirty();
        backend.openEmpty(TASK).closeDirty();
        Base base = read(checkpoint);
        checkpoint.retain(base.hashes());
        checkpoint.close();
        assertThat(all(assemble(base).open(1))).isEqualTo(Map.of("a", "1"));
    }

    @Test
    void refusesABaseOfAnotherEpoch() throws Exception {
        Base base = base(5, "a", "1");
        for (long wrong : new long[] {0, 4, 6}) {
            StateBackend.Assembly assembly = assemble(base);
            assertThatThrownBy(() -> assembly.open(wrong))
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("epoch 5")
                    .hasMessageContaining("epoch " + wrong)
                    .hasMessageContaining("orders/3");
            assembly.close();
        }
        assertThat(all(assemble(base).open(5))).isEqualTo(Map.of("a", "1"));
    }

    @Test
    void refusesABaseWithoutFiles() {
        StateBackend.Assembly assembly = backend.assemble(TASK);
        assertThatThrownBy(() -> assembly.open(0)).isInstanceOf(CorruptionException.class);
        assertThat(backend.openEmpty(TASK).epoch()).isZero();
    }

    @Test
    void keepsWhatWasThereUntilABaseIsOpened() throws Exception {
        Base base = base(5, "a", "1");
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(4, "b", "2"));
        backend.closeClean(TASK, store, "f");
        assemble(base).close();
        StateBackend.Assembly broken = assemble(base);
        assertThatThrownBy(() -> broken.open(6)).isInstanceOf(CorruptionException.class);
        backend = restart(backend);
        TaskStore again = Objects.requireNonNull(backend.openClean(TASK, 4, "f"));
        backend.closeClean(TASK, again, "f");
        assemble(base).open(5).close();
        assertThat(backend.openClean(TASK, 4, "f")).isNull();
    }

    @Test
    void anEndedAssemblyTakesNothingMore() throws Exception {
        Base base = base(5, "a", "1");
        StateBackend.Assembly assembly = assemble(base);
        TaskStore store = assembly.open(5);
        assembly.close();
        assertThatIllegalStateException().isThrownBy(() -> assembly.create("x"));
        assertThatIllegalStateException().isThrownBy(() -> assembly.reuse("x", 1, "00"));
        assertThatIllegalStateException().isThrownBy(() -> assembly.open(5));
        assertThat(all(store)).isEqualTo(Map.of("a", "1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "../x", "a/b", "/x", "a\\b", ".hidden", "a b", "x\0", "ä"})
    void refusesNamesThatLeadElsewhere(String name) {
        try (StateBackend.Assembly assembly = backend.assemble(TASK)) {
            assertThatIllegalArgumentException().isThrownBy(() -> assembly.create(name));
            assertThatIllegalArgumentException().isThrownBy(() -> assembly.reuse(name, 1, "00"));
        }
    }

    @Test
    void refusesAFileTwice() throws Exception {
        try (StateBackend.Assembly assembly = backend.assemble(TASK)) {
            assembly.create("x").close();
            assertThatThrownBy(() -> assembly.create("x")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void filesAreWrittenInParallel() throws Exception {
        Base base = base(5, "a", "1");
        StateBackend.Assembly assembly = backend.assemble(TASK);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> writes = new ArrayList<>();
            for (Map.Entry<String, byte[]> file : base.files().entrySet()) {
                writes.add(threads.submit(() -> {
                    write(assembly, file.getKey(), file.getValue());
                    return null;
                }));
            }
            for (Future<?> write : writes) {
                write.get(30, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(all(assembly.open(5))).isEqualTo(Map.of("a", "1"));
    }

    @Test
    void reusesTheFilesOfTheNewestRetainedCheckpoint() throws Exception {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(1, "a", "1"));
        TaskStore.LocalCheckpoint first = store.checkpoint();
        Base old = read(first);
        first.retain(old.hashes());
        first.close();
        store.apply(changes(2, "a", "2", "b", "2"));
        TaskStore.LocalCheckpoint second = store.checkpoint();
        Base kept = read(second);
        second.retain(kept.hashes());
        second.close();
        TaskStore.LocalCheckpoint third = store.checkpoint();
        assertThatIllegalArgumentException().isThrownBy(() -> third.retain(List.of("a", "b", "c", "d", "e", "f", "g")));
        third.close();
        store.apply(changes(3, "c", "3"));
        backend = restart(backend);

        for (int round = 0; round < 2; round++) {
            StateBackend.Assembly assembly = backend.assemble(TASK);
            kept.files().forEach((name, content) -> {
                assertThat(assembly.reuse(name, content.length + 1L, sha256(content)))
                        .isFalse();
                assertThat(assembly.reuse(name, content.length, sha256(bytes("else"))))
                        .isFalse();
                assertThat(assembly.reuse(name, content.length, sha256(content)))
                        .isTrue();
            });
            TaskStore restored = assembly.open(2);
            assertThat(all(restored)).isEqualTo(Map.of("a", "2", "b", "2"));
            restored.apply(changes(9, "a", "9"));
            restored.close();
        }
        Set<String> keptHashes = new HashSet<>(kept.hashes());
        try (StateBackend.Assembly assembly = backend.assemble(TASK)) {
            old.files().forEach((name, content) -> assertThat(assembly.reuse(name, content.length, sha256(content)))
                    .isEqualTo(keptHashes.contains(sha256(content))));
        }
    }

    @Test
    void reusesNothingThatIsNotRetained() throws Exception {
        Base base = base(5, "a", "1");
        try (StateBackend.Assembly assembly = backend.assemble(TASK)) {
            base.files().forEach((name, content) -> assertThat(assembly.reuse(name, content.length, sha256(content)))
                    .isFalse());
        }
    }

    @Test
    void namesTheTasksOfWhichSomethingUsefulIsThere() throws Exception {
        assertThat(backend.tasksOnDisk("orders")).isEmpty();
        TaskStore clean = backend.openEmpty(TASK);
        TaskStore retained = backend.openEmpty(OTHER);
        backend.openEmpty(new TaskId("orders", 4));
        backend.openEmpty(new TaskId("else", 5));
        assertThat(backend.tasksOnDisk("orders")).containsExactlyInAnyOrder(3, 4, 10);
        backend.closeClean(TASK, clean, "f");
        try (TaskStore.LocalCheckpoint checkpoint = retained.checkpoint()) {
            checkpoint.retain(read(checkpoint).hashes());
        }
        backend = restart(backend);
        assertThat(backend.tasksOnDisk("orders")).containsExactlyInAnyOrder(3, 10);
        assertThat(backend.tasksOnDisk("else")).isEmpty();
        assertThat(backend.tasksOnDisk("none")).isEmpty();
    }

    @Test
    void closingWaitsForAScan() throws Exception {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(1, "a", "1", "b", "2"));
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean scanned = new AtomicBoolean();
        CompletableFuture<List<String>> scan = CompletableFuture.supplyAsync(() -> {
            List<String> seen = new ArrayList<>();
            store.scan(StorageKeys.statePrefix(1), (k, v) -> {
                inside.countDown();
                await(goOn);
                seen.add(text(v));
                return true;
            });
            scanned.set(true);
            return seen;
        });
        await(inside);
        CompletableFuture<Boolean> closing = new CompletableFuture<>();
        Thread closer = new Thread(() -> {
            store.close();
            closing.complete(scanned.get());
        });
        closer.start();
        Awaitility.await().until(() -> closer.getState() == Thread.State.WAITING);
        assertThat(closing).isNotDone();
        goOn.countDown();
        assertThat(scan.get(30, TimeUnit.SECONDS)).containsExactly("1", "2");
        closing.get(30, TimeUnit.SECONDS);
        closer.join();
        assertThatIllegalStateException().isThrownBy(() -> store.get(key("a")));
    }

    @Test
    void refusesToCloseFromWithinAScan() {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(1, "a", "1"));
        assertThatIllegalStateException()
                .isThrownBy(() -> store.scan(new byte[0], (k, v) -> {
                    store.close();
                    return true;
                }));
        assertThat(all(store)).isEqualTo(Map.of("a", "1"));
    }

    @Test
    void readersSeeEachEpochWhole() throws Exception {
        TaskStore store = backend.openEmpty(TASK);
        String[] entries = new String[200];
        for (int i = 0; i < 100; i++) {
            entries[2 * i] = String.format("k%03d", i);
        }
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Base> applier = CompletableFuture.supplyAsync(() -> {
            Base last = null;
            for (int epoch = 1; epoch <= 100; epoch++) {
                for (int i = 0; i < 100; i++) {
                    entries[2 * i + 1] = "e" + epoch;
                }
                store.apply(changes(epoch, entries));
                if (epoch % 20 == 0) {
                    try (TaskStore.LocalCheckpoint checkpoint = store.checkpoint()) {
                        last = read(checkpoint);
                    }
                }
            }
            done.set(true);
            assertThat(last).isNotNull();
            return last;
        });
        int scans = 0;
        while (!done.get() && !applier.isDone() || scans == 0) {
            Set<String> values = new HashSet<>(all(store).values());
            assertThat(values).hasSizeLessThanOrEqualTo(1);
            scans++;
        }
        Base base = applier.get(30, TimeUnit.SECONDS);
        store.closeDirty();
        TaskStore restored = assemble(base).open(100);
        assertThat(new HashSet<>(all(restored).values())).containsExactly("e100");
    }

    /** The files of a checkpoint. */
    protected record Base(long epoch, Map<String, byte[]> files) {
        public List<String> hashes() {
            return files.values().stream().map(StateBackendContract::sha256).toList();
        }
    }

    protected Base base(long epoch, String... entries) {
        TaskStore store = backend.openEmpty(TASK);
        if (epoch > 0) {
            store.apply(changes(epoch, entries));
        }
        try (TaskStore.LocalCheckpoint checkpoint = store.checkpoint()) {
            return read(checkpoint);
        } finally {
            store.closeDirty();
        }
    }

    protected static Base read(TaskStore.LocalCheckpoint checkpoint) {
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (TaskStore.LocalFile file : checkpoint.files()) {
            try (InputStream in = file.open()) {
                byte[] content = in.readAllBytes();
                assertThat(content.length).isEqualTo((int) file.sizeBytes());
                files.put(file.name(), content);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return new Base(checkpoint.epoch(), files);
    }

    protected StateBackend.Assembly assemble(Base base) throws IOException {
        StateBackend.Assembly assembly = backend.assemble(TASK);
        for (Map.Entry<String, byte[]> file : base.files().entrySet()) {
            write(assembly, file.getKey(), file.getValue());
        }
        return assembly;
    }

    private static void write(StateBackend.Assembly assembly, String name, byte[] content) throws IOException {
        try (OutputStream out = assembly.create(name)) {
            out.write(content);
        }
    }

    protected static Changes changes(long epoch, @Nullable String... keysAndValues) {
        Map<Bytes, byte @Nullable []> entries = new HashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            String key = keysAndValues[i];
            String value = keysAndValues[i + 1];
            assertThat(key).isNotNull();
            entries.put(Bytes.of(key(key)), value == null ? null : bytes(value));
        }
        return Changes.of(TASK, epoch, entries);
    }

    protected static Map<String, String> all(TaskStore store) {
        Map<String, String> all = new TreeMap<>();
        store.scan(StorageKeys.statePrefix(1), (k, v) -> {
            assertThat(store.get(k)).isNotNull();
            all.put(text(StorageKeys.keyOfValue(k)), text(v));
            return true;
        });
        return all;
    }

    protected static byte[] key(String key) {
        return StorageKeys.value(1, bytes(key));
    }

    protected static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    protected static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }

    protected static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
