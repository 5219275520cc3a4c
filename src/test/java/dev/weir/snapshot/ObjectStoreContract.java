package dev.weir.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.CorruptionException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every object store promises. */
abstract class ObjectStoreContract {

    private static final int WRITERS = 8;

    @TempDir
    Path files;

    ObjectStore store;

    /** A new, empty store. */
    abstract ObjectStore openEmpty() throws Exception;

    /** How often writers race for one name. */
    int rounds() {
        return 100;
    }

    /** About what the store's clock shows. */
    Instant now() {
        return Instant.now();
    }

    @BeforeEach
    void open() throws Exception {
        store = openEmpty();
    }

    @AfterEach
    void close() {
        store.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1000, 3 << 20})
    void returnsTheBytesThatWerePut(int size) throws IOException {
        var content = random(size);
        store.put("a/bytes", content);
        store.put("a/file", file(content));

        assertThat(store.get("a/bytes")).isEqualTo(content);
        assertThat(store.get("a/file")).isEqualTo(content);
        assertThat(read("a/bytes", 0, size)).isEqualTo(content);
        assertThat(sizes("a/")).containsExactly("a/bytes " + size, "a/file " + size);
    }

    @Test
    void returnsALargeFileWholeAndInRanges() throws IOException {
        var content = random(40 << 20);
        store.put("objects/ab/large", file(content));

        assertThat(Arrays.equals(store.get("objects/ab/large"), content)).isTrue();
        long sixteen = 16L << 20;
        for (long offset : new long[] {0, 1, sixteen - 5, sixteen, 2 * sixteen - 7, content.length - 20}) {
            assertThat(read("objects/ab/large", offset, 20))
                    .as("offset %d", offset)
                    .isEqualTo(Arrays.copyOfRange(content, (int) offset, (int) offset + 20));
        }
    }

    @Test
    void keepsWhatWasPutWhenTheCallerChangesItsArray() {
        var content = bytes("before");
        store.put("a", content);
        content[0] = 'X';
        store.get("a")[1] = 'Y';

        assertThat(store.get("a")).isEqualTo(bytes("before"));
    }

    @Test
    void keepsWhatWasPutWhenTheFileIsGone() throws IOException {
        var file = file(bytes("content"));
        store.put("a", file);
        Files.delete(file);

        assertThat(store.get("a")).isEqualTo(bytes("content"));
    }

    @Test
    void readsExactlyTheRange() throws IOException {
        store.put("a", bytes("0123456789"));

        assertThat(read("a", 0, 10)).isEqualTo(bytes("0123456789"));
        assertThat(read("a", 3, 4)).isEqualTo(bytes("3456"));
        assertThat(read("a", 9, 1)).isEqualTo(bytes("9"));
        assertThat(read("a", 0, 0)).isEmpty();
        assertThat(read("a", 10, 0)).isEmpty();
    }

    @Test
    void readsOnAfterAStreamWasClosedEarly() throws IOException {
        var content = random(8 << 20);
        store.put("a", content);

        for (int i = 0; i < 100; i++) {
            try (var in = store.open("a", i, content.length - i)) {
                assertThat(in.read()).isEqualTo(content[i] & 0xff);
            }
        }
    }

    @Test
    void refusesToReadMoreThanThereIs() {
        store.put("a", bytes("0123456789"));
        store.put("empty", new byte[0]);

        assertCorruption(() -> read("a", 0, 11), "object a", "10 bytes");
        assertCorruption(() -> read("a", 5, 6), "object a", "10 bytes");
        assertCorruption(() -> read("a", 10, 1), "object a", "10 bytes");
        assertCorruption(() -> read("a", 1000, 1), "object a");
        assertCorruption(() -> read("a", 11, 0), "object a", "10 bytes");
        assertCorruption(() -> read("empty", 0, 1), "object empty");
    }

    @Test
    void refusesRangesThatAreNone() {
        store.put("a", bytes("0123456789"));

        assertThatThrownBy(() -> store.open("a", -1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store.open("a", 1, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store.open("a", 1, Long.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void saysWhichObjectIsMissing() {
        store.put("a/b", bytes("x"));

        for (var absent : List.of("none", "a", "a/none", "none/a")) {
            assertThat(store.exists(absent)).as(absent).isFalse();
            assertCorruption(() -> store.get(absent), "object " + absent, store.describe());
            assertCorruption(() -> read(absent, 0, 1), "object " + absent, store.describe());
            assertCorruption(() -> read(absent, 0, 0), "object " + absent, store.describe());
        }
        assertThat(store.exists("a/b")).isTrue();
    }

    @Test
    void refusesAFileThatIsMissing() {
        assertThatThrownBy(() -> store.put("a", files.resolve("none")))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("none");
        assertThat(store.exists("a")).isFalse();
    }

    /** R29, R46: names are restricted and cannot leave the store. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/a",
                "a/",
                "a//b",
                ".",
                "..",
                "./a",
                "../a",
                "a/..",
                "a/../b",
                "a/./b",
                "a b",
                "a+b",
                "a%2Fb",
                "a\\b",
                "a~b",
                "ä",
                "a\nb",
                "a\0b",
                "a:b",
                "*",
                "a?b",
                "..\\a",
                "a&b",
                ".weir~unfinished/a"
            })
    void refusesNamesOutsideTheAlphabet(String name) throws IOException {
        var file = file(bytes("x"));

        assertRefused(() -> store.put(name, bytes("x")));
        assertRefused(() -> store.put(name, file));
        assertRefused(() -> store.createIfAbsent(name, bytes("x")));
        assertRefused(() -> store.get(name));
        assertRefused(() -> store.open(name, 0, 1));
        assertRefused(() -> store.exists(name));
        assertRefused(() -> store.delete(List.of(name)));
        assertThat(names("")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/a", "a//", "../", "a/../", "./", "a b", "a+", "~"})
    void refusesPrefixesOfNoName(String prefix) {
        assertRefused(() -> store.list(prefix, each -> {}));
    }

    @Test
    void refusesNamesThatAreTooLong() {
        assertRefused(() -> store.put("a".repeat(256), bytes("x")));
        assertRefused(() -> store.put("a/".repeat(400) + "a", bytes("x")));
    }

    @Test
    void takesTheLongestName() {
        var name = "a".repeat(255) + "/" + "b".repeat(255) + "/" + "c".repeat(255) + "/" + "d".repeat(32);
        store.put(name, bytes("x"));

        assertThat(names("")).containsExactly(name);
        assertThat(store.get(name)).isEqualTo(bytes("x"));
    }

    @Test
    void takesEveryCharacterOfTheAlphabet() {
        var name = "abcdefghijklmnopqrstuvwxyz/ABCDEFGHIJKLMNOPQRSTUVWXYZ/0123456789/.a/a..b/.../-_=.";
        store.put(name, bytes("x"));

        assertThat(store.get(name)).isEqualTo(bytes("x"));
        assertThat(names("")).containsExactly(name);
    }

    @Test
    void createsOnlyOnce() {
        assertThat(store.createIfAbsent("checkpoints/1.json", bytes("first"))).isTrue();
        assertThat(store.createIfAbsent("checkpoints/1.json", bytes("second"))).isFalse();
        assertThat(store.get("checkpoints/1.json")).isEqualTo(bytes("first"));
    }

    @Test
    void tellsTheWinnerAgainThatItWon() {
        assertThat(store.createIfAbsent("a", bytes("mine"))).isTrue();
        assertThat(store.createIfAbsent("a", bytes("mine"))).isTrue();
    }

    @Test
    void createsAgainWhatWasDeleted() {
        store.createIfAbsent("a", bytes("first"));
        store.delete(List.of("a"));

        assertThat(store.createIfAbsent("a", bytes("second"))).isTrue();
        assertThat(store.get("a")).isEqualTo(bytes("second"));
    }

    @Test
    void createsNothingOverWhatWasPut() {
        store.put("a", bytes("put"));

        assertThat(store.createIfAbsent("a", bytes("created"))).isFalse();
        assertThat(store.get("a")).isEqualTo(bytes("put"));
    }

    @Test
    void letsExactlyOneOfConcurrentWritersWin() throws Exception {
        var start = new CyclicBarrier(WRITERS);
        for (int round = 0; round < rounds(); round++) {
            var name = "checkpoints/" + round + ".json";
            var won = all(WRITERS, writer -> () -> {
                start.await();
                return store.createIfAbsent(name, ownContent(writer));
            });

            assertThat(won).as("round %d", round).containsOnlyOnce(true);
            assertThat(store.get(name)).as("round %d", round).isEqualTo(ownContent(won.indexOf(true)));
        }
    }

    @Test
    void listsInAscendingOrderOfWholeNames() {
        var names = List.of(
                "a", "a-b", "a-/c", "a.b", "a./c", "a0", "a=", "aA", "a_b", "ab/c", "b-/a", "b./a", "b/a", "b/a-b",
                "b/b/c", "b/b-c", "b/b.", "b0", "Z", "z/1/2/3", "z/1-2", "z/1.2/0", "z/10", "z/2", "-", ".hidden", "=",
                "_");
        var shuffled = new ArrayList<>(names);
        Collections.shuffle(shuffled, new Random(1));
        shuffled.forEach(name -> store.put(name, bytes(name)));

        assertThat(names("")).containsExactlyElementsOf(names.stream().sorted().toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "a-", "a/", "a/b", "a/b/", "a/b/c", "a/bb", "c", "a/b/c/d", "a/b/x", "."})
    void listsWhatBeginsWithThePrefix(String prefix) {
        var names = List.of("a-b", "a.b", "a/a", "a/b-", "a/b/c", "a/b/d/e", "a/bb", "ab", "b/a", ".a/b");
        names.forEach(name -> store.put(name, bytes(name)));

        assertThat(names(prefix))
                .containsExactlyElementsOf(names.stream()
                        .filter(name -> name.startsWith(prefix))
                        .sorted()
                        .toList());
    }

    @Test
    void listsMoreThanOnePage() throws Exception {
        var names = IntStream.range(0, 1203).mapToObj("n/%05d"::formatted).toList();
        all(4, thread -> () -> {
            IntStream.range(0, names.size())
                    .filter(i -> i % 4 == thread)
                    .forEach(i -> store.put(names.get(i), new byte[0]));
            return true;
        });

        assertThat(names("n/")).containsExactlyElementsOf(names);

        store.delete(names);
        assertThat(names("")).isEmpty();
    }

    @Test
    void listsSizeAndTime() {
        var before = now().minus(Duration.ofSeconds(5));
        store.put("a", bytes("12345"));
        var listed = new ArrayList<ObjectStore.Listed>();
        store.list("", listed::add);

        assertThat(listed).hasSize(1);
        assertThat(listed.get(0).sizeBytes()).isEqualTo(5);
        assertThat(listed.get(0).modified()).isBetween(before, now().plus(Duration.ofSeconds(5)));
    }

    @Test
    void letsTheReaderOfAListingDeleteAndStop() {
        IntStream.range(0, 20).forEach(i -> store.put("a/" + (100 + i), bytes("x")));

        store.list("a/", each -> store.delete(List.of(each.name())));
        assertThat(names("")).isEmpty();

        store.put("b", bytes("x"));
        assertThatThrownBy(() -> store.list("", each -> {
                    throw new IllegalStateException("enough");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("enough");
    }

    @Test
    void deletesWhatIsThereAndIgnoresTheRest() {
        store.put("a/b", bytes("x"));
        store.put("a/c", bytes("x"));
        store.put("a/d/e", bytes("x"));

        store.delete(List.of("a/b", "none", "a", "a/d", "a/none/b"));
        assertThat(names("")).containsExactly("a/c", "a/d/e");

        store.delete(List.of());
        store.delete(List.of("a/b"));
        assertThat(names("")).containsExactly("a/c", "a/d/e");
        assertThat(store.exists("a/b")).isFalse();
    }

    @Test
    void deletesNothingIfOneNameIsRefused() {
        store.put("a", bytes("x"));

        assertRefused(() -> store.delete(List.of("a", "../b")));
        assertThat(store.exists("a")).isTrue();
    }

    @Test
    void survivesConcurrentDeletesAndListings() throws Exception {
        var names = IntStream.range(0, 60).mapToObj(i -> "d/" + i % 6 + "/" + i).toList();
        for (int round = 0; round < 3; round++) {
            names.forEach(name -> store.put(name, bytes(name)));
            all(4, i -> () -> {
                if (i % 2 == 0) {
                    store.delete(names);
                } else {
                    assertThat(names).containsAll(names("d/"));
                }
                return true;
            });
            assertThat(names("")).isEmpty();
        }
    }

    @Test
    void servesManyThreads() throws Exception {
        var content = random(100_000);
        var done = all(WRITERS, thread -> () -> {
            for (int i = 0; i < 20; i++) {
                var name = "t/" + thread + "/" + i;
                store.put(name, content);
                assertThat(store.get(name)).isEqualTo(content);
                assertThat(read(name, 50_000, 10)).isEqualTo(Arrays.copyOfRange(content, 50_000, 50_010));
            }
            return true;
        });

        assertThat(done).containsOnly(true);
        assertThat(names("t/")).hasSize(WRITERS * 20);
    }

    @Test
    void keepsObjectsWhenUnfinishedOnesAreDiscarded() {
        store.put("a", bytes("x"));
        store.discardUnfinished(now().plus(Duration.ofHours(1)));

        assertThat(names("")).containsExactly("a");
    }

    @Test
    void probesWithoutATrace() {
        assertThatCode(store::probe).doesNotThrowAnyException();
        assertThatCode(store::probe).doesNotThrowAnyException();
        assertThat(names("")).isEmpty();
    }

    List<String> names(String prefix) {
        var names = new ArrayList<String>();
        store.list(prefix, each -> names.add(each.name()));
        return names;
    }

    private List<String> sizes(String prefix) {
        var sizes = new ArrayList<String>();
        store.list(prefix, each -> sizes.add(each.name() + " " + each.sizeBytes()));
        return sizes;
    }

    byte[] read(String name, long offset, long length) throws IOException {
        try (var in = store.open(name, offset, length)) {
            return in.readAllBytes();
        }
    }

    Path file(byte[] content) throws IOException {
        return Files.write(Files.createTempFile(files, "file", ""), content);
    }

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static byte[] random(int size) {
        var content = new byte[size];
        new Random(size).nextBytes(content);
        return content;
    }

    private static byte[] ownContent(int writer) {
        return bytes(("writer " + writer + " ").repeat(500));
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith("Cannot ");
    }

    private static void assertCorruption(ThrowingCallable call, String... parts) {
        assertThatThrownBy(call)
                .isInstanceOf(CorruptionException.class)
                .hasMessageStartingWith("Cannot read ")
                .hasMessageContainingAll(parts);
    }

    private interface Work<T> {
        Callable<T> of(int thread);
    }

    private static <T> List<T> all(int threads, Work<T> work) throws Exception {
        var pool = Executors.newFixedThreadPool(threads);
        try {
            var futures = new ArrayList<Future<T>>();
            for (int i = 0; i < threads; i++) {
                futures.add(pool.submit(work.of(i)));
            }
            var results = new ArrayList<T>();
            for (var future : futures) {
                results.add(future.get());
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }
}
