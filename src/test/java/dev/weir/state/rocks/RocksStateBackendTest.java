package dev.weir.state.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.CorruptionException;
import dev.weir.failure.TransientException;
import dev.weir.state.Changes;
import dev.weir.state.StateBackend;
import dev.weir.state.StateBackendContract;
import dev.weir.state.StateCache;
import dev.weir.state.TaskState;
import dev.weir.state.TaskStateModel;
import dev.weir.state.TaskStore;
import dev.weir.topology.TaskId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

class RocksStateBackendTest extends StateBackendContract {

    private static final RocksSettings SMALL = new RocksSettings(8 << 20, 1 << 20, 16);

    @TempDir
    Path disk;

    @Override
    protected StateBackend create() {
        return new RocksStateBackend(disk.resolve("state"), SMALL);
    }

    /** Goes on with a copy of the files as they are while the process is still at work, like after a kill. */
    @Override
    protected StateBackend restart(StateBackend before) throws IOException {
        Path files = directory();
        Path copy = disk.resolve("copy");
        DurableFiles.deleteTree(copy);
        copyTree(files, copy);
        before.close();
        DurableFiles.deleteTree(files);
        Files.move(copy, files);
        return create();
    }

    private Path directory() {
        return disk.resolve("state");
    }

    private Path taskDirectory() {
        return directory().resolve("orders").resolve("3");
    }

    @Test
    void crashLeavesNothingBehindButTheRetainedCheckpoint() throws Exception {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(1, "a", "1"));
        TaskStore.LocalCheckpoint retained = store.checkpoint();
        retained.retain(read(retained).hashes());
        store.apply(changes(2, "a", "2"));
        store.checkpoint();
        backend.assemble(TASK).create("000001.sst").close();
        Files.createDirectory(taskDirectory().resolve("checkpoint-99.tmp"));
        assertThat(names(taskDirectory())).hasSize(6);
        backend = restart(backend);
        TaskStore fresh = backend.openEmpty(TASK);
        assertThat(names(taskDirectory())).containsExactly("checkpoint-2", "db-3", "retained");
        fresh.close();
        backend.openEmpty(TASK);
        assertThat(names(taskDirectory())).containsExactly("checkpoint-2", "db-4", "retained");
    }

    @Test
    void whatIsInUseIsNotSwept() throws Exception {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(5, "a", "1"));
        TaskStore.LocalCheckpoint checkpoint = store.checkpoint();
        store.closeDirty();
        Base base = read(checkpoint);
        StateBackend.Assembly assembly = assemble(base);
        TaskStore between = backend.openEmpty(TASK);
        between.close();
        assertThat(read(checkpoint).hashes()).isEqualTo(base.hashes());
        assertThat(all(assembly.open(5))).isEqualTo(Map.of("a", "1"));
        checkpoint.close();
        assertThat(names(taskDirectory())).hasSize(1);
    }

    @Test
    void anOlderRetainedCheckpointIsDeleted() throws Exception {
        TaskStore store = backend.openEmpty(TASK);
        for (int epoch = 1; epoch <= 3; epoch++) {
            store.apply(changes(epoch, "a", "v" + epoch));
            try (TaskStore.LocalCheckpoint checkpoint = store.checkpoint()) {
                checkpoint.retain(read(checkpoint).hashes());
            }
        }
        assertThat(names(taskDirectory())).containsExactly("checkpoint-4", "db-1", "retained");
    }

    @Test
    void aDamagedRetainedFileIsNotReused() throws Exception {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(1, "a", "1"));
        TaskStore.LocalCheckpoint checkpoint = store.checkpoint();
        Base base = read(checkpoint);
        checkpoint.retain(base.hashes());
        checkpoint.close();
        store.closeDirty();
        String name = base.files().keySet().stream()
                .filter(n -> n.endsWith(".sst"))
                .findFirst()
                .orElseThrow();
        byte[] content = base.files().getOrDefault(name, new byte[0]);
        Path file = taskDirectory().resolve("checkpoint-2").resolve(name);
        byte[] damaged = content.clone();
        damaged[damaged.length / 2] ^= 1;
        Files.write(file, damaged);
        StateBackend.Assembly assembly = backend.assemble(TASK);
        assertThat(assembly.reuse(name, content.length, sha256(content))).isFalse();
        assembly.create(name).close();
        byte[] current = base.files().getOrDefault("CURRENT", new byte[0]);
        assertThat(assembly.reuse("CURRENT", current.length, sha256(current))).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> assembly.reuse("CURRENT", current.length, sha256(current)));
    }

    @Test
    void tablesAreLinkedAndOtherFilesAreCopied() throws Exception {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(1, "a", "1"));
        try (TaskStore.LocalCheckpoint checkpoint = store.checkpoint()) {
            Base base = read(checkpoint);
            checkpoint.retain(base.hashes());
            assertThat(checkpoint.files().stream().filter(TaskStore.LocalFile::immutable))
                    .isNotEmpty();
            StateBackend.Assembly assembly = backend.assemble(TASK);
            for (TaskStore.LocalFile file : checkpoint.files()) {
                byte[] content = base.files().getOrDefault(file.name(), new byte[0]);
                assertThat(assembly.reuse(file.name(), content.length, sha256(content)))
                        .isTrue();
                Path source = taskDirectory().resolve("checkpoint-2").resolve(file.name());
                Path target = taskDirectory().resolve("db-3").resolve(file.name());
                assertThat(Files.isSameFile(source, target) || inode(source).equals(inode(target)))
                        .isEqualTo(file.immutable());
            }
            assembly.close();
        }
    }

    private static Object inode(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ino");
    }

    @Test
    void refusesADirectoryInUse() {
        assertThatThrownBy(this::create)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(directory().toString())
                .hasMessageContaining("another worker");
        backend.close();
        backend = create();
        assertThat(backend.openEmpty(TASK).epoch()).isZero();
    }

    @Test
    void anotherProcessSeesTheLock() throws Exception {
        assertThat(lockFromAnotherProcess()).isEqualTo("taken");
        assertThatThrownBy(this::create).isInstanceOf(ConfigurationException.class);
        assertThat(lockFromAnotherProcess()).isEqualTo("taken");
        backend.close();
        assertThat(lockFromAnotherProcess()).isEqualTo("free");
    }

    private String lockFromAnotherProcess() throws Exception {
        Path program = disk.resolve("Lock.java");
        Files.writeString(program, """
                import java.nio.channels.FileChannel;
                import java.nio.file.*;
                class Lock {
                    public static void main(String[] args) throws Exception {
                        try (var channel = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE)) {
                            System.out.print(channel.tryLock() == null ? "taken" : "free");
                        }
                    }
                }
                """);
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Process process = new ProcessBuilder(
                        java.toString(),
                        program.toString(),
                        directory().resolve(".lock").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = text(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).isZero();
        return said;
    }

    @Test
    void checksADirectoryWithOneSentence() throws Exception {
        assertThatCode(() -> RocksStateBackend.check(disk.resolve("new"))).doesNotThrowAnyException();
        Path file = Files.writeString(disk.resolve("file"), "x");
        assertThatThrownBy(() -> RocksStateBackend.check(file.resolve("state")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("Cannot use state directory " + file.resolve("state"))
                .hasMessageContaining("cannot be written");
    }

    @Test
    void closingTheBackendClosesItsStoresAndIsIdempotent() {
        TaskStore store = backend.openEmpty(TASK);
        StateBackend.Assembly assembly = backend.assemble(OTHER);
        TaskStore.LocalCheckpoint checkpoint = store.checkpoint();
        backend.close();
        backend.close();
        assertThatIllegalStateException().isThrownBy(() -> store.get(key("a")));
        assertThatIllegalStateException().isThrownBy(() -> backend.openEmpty(OTHER));
        assertThatIllegalStateException().isThrownBy(() -> assembly.open(1));
        checkpoint.close();
        assembly.close();
    }

    @Test
    void refusesNamesOfProcessorsThatLeadElsewhere() {
        for (String name : new String[] {"", ".", "..", "../x", "a/b", ".native"}) {
            assertThatThrownBy(() -> backend.openEmpty(new TaskId(name, 1))).isInstanceOf(ConfigurationException.class);
        }
    }

    @Test
    void refusesADamagedBaseAndReleasesIt() throws Exception {
        Base base = base(5, "a", "1");
        assertThat(base.files()).hasSize(3);
        for (String name : base.files().keySet()) {
            StateBackend.Assembly assembly = backend.assemble(TASK);
            for (Map.Entry<String, byte[]> file : base.files().entrySet()) {
                if (!file.getKey().equals(name)) {
                    try (var out = assembly.create(file.getKey())) {
                        out.write(file.getValue());
                    }
                }
            }
            assertThatThrownBy(() -> assembly.open(5)).as(name).isInstanceOf(CorruptionException.class);
        }
        assertThat(all(assemble(base).open(5))).isEqualTo(Map.of("a", "1"));
    }

    @Test
    void aStateLargerThanItsWriteBuffersIsRestoredWhole() throws Exception {
        TaskStore store = backend.openEmpty(TASK);
        for (int epoch = 1; epoch <= 30; epoch++) {
            String[] entries = new String[2000];
            for (int i = 0; i < 1000; i++) {
                entries[2 * i] = "key" + (epoch * 700 + i);
                entries[2 * i + 1] = ("value" + epoch + "-" + i).repeat(10);
            }
            store.apply(changes(epoch, entries));
        }
        Map<String, String> before = all(store);
        try (TaskStore.LocalCheckpoint checkpoint = store.checkpoint()) {
            Base base = read(checkpoint);
            store.closeDirty();
            assertThat(all(assemble(base).open(30))).hasSize(21300).isEqualTo(before);
        }
    }

    @Test
    void noSpaceIsSaidSo() {
        Exception native1 = new RocksDBException(new Status(Status.Code.IOError, Status.SubCode.NoSpace, "x"));
        Exception file = new IOException("/state/x: No space left on device");
        for (Exception cause : List.of(native1, file)) {
            assertThat(StateFailures.of("write state", TASK, Path.of("/state"), cause))
                    .isInstanceOf(TransientException.class)
                    .hasMessageStartingWith("Cannot write state of task orders/3: no space left in /state");
        }
        Exception damage = new RocksDBException(new Status(Status.Code.Corruption, Status.SubCode.None, "x"));
        assertThat(StateFailures.of("read state", TASK, Path.of("/state"), damage))
                .isInstanceOf(CorruptionException.class);
        assertThat(StateFailures.of("read state", TASK, Path.of("/state"), new IOException("x")))
                .isInstanceOf(TransientException.class);
    }

    @Test
    void settingsRejectThemselves() {
        assertThat(RocksSettings.defaults()).isEqualTo(new RocksSettings(256 << 20, 64 << 20, 128));
        for (Runnable wrong : List.<Runnable>of(
                () -> new RocksSettings((8 << 20) - 1, 1 << 20, 16),
                () -> new RocksSettings(8 << 20, (1 << 20) - 1, 16),
                () -> new RocksSettings(8 << 20, (4 << 20) + 1, 16),
                () -> new RocksSettings(8 << 20, 1 << 20, 15))) {
            assertThatThrownBy(wrong::run)
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageStartingWith("Cannot use");
        }
    }

    /** The processing thread reads through overlays that another thread applies meanwhile. */
    @Test
    void aTaskStateReadsTheSameWhileItsEpochsAreApplied() throws Exception {
        for (long seed = 1; seed <= 4; seed++) {
            try (TaskStore store = backend.openEmpty(new TaskId("orders", (int) seed))) {
                TaskStateModel model = new TaskStateModel(
                        new TaskId("orders", (int) seed), new TaskState(store, new StateCache(1 << 20)), seed);
                AtomicLong applied = new AtomicLong();
                CompletableFuture<Void> applier = CompletableFuture.completedFuture(null);
                for (int step = 0; step < 1500; step++) {
                    for (Changes changes : model.step()) {
                        applier = applier.thenRunAsync(() -> {
                            store.apply(changes);
                            if (changes.epoch() % 8 == 0) {
                                store.checkpoint().close();
                            }
                            applied.set(changes.epoch());
                        });
                    }
                    model.applied(applied.get());
                }
                applier.get(60, TimeUnit.SECONDS);
                model.applied(applied.get());
                model.compareAll();
                assertThat(applied).hasPositiveValue();
            }
        }
    }

    private static List<String> names(Path path) throws IOException {
        try (Stream<Path> entries = Files.list(path)) {
            return entries.map(e -> e.getFileName().toString()).sorted().toList();
        }
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> entries = Files.walk(from)) {
            for (Path entry : entries.toList()) {
                Path target = to.resolve(from.relativize(entry).toString());
                if (Files.isDirectory(entry)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(entry, target);
                }
            }
        }
    }
}
