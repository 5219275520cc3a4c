package dev.weir.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.CorruptionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSystemObjectStoreTest extends ObjectStoreContract {

    @TempDir
    Path folder;

    private Path root() {
        return folder.resolve("new/store");
    }

    @Override
    ObjectStore openEmpty() {
        return FileSystemObjectStore.open(root());
    }

    @Test
    void namesItsFolder() throws IOException {
        assertThat(store.describe()).isEqualTo(root().toRealPath().toString());
    }

    @Test
    void leavesNoTemporaryFiles() throws IOException {
        store.put("a", bytes("x"));
        store.put("b", file(bytes("x")));
        store.createIfAbsent("c", bytes("x"));
        store.createIfAbsent("c", bytes("y"));

        assertThat(root().resolve(FileSystemObjectStore.TEMPORARY)).isEmptyDirectory();
    }

    @Test
    void keepsObjectsWhenOpenedAgain() {
        store.put("a/b", bytes("x"));

        try (var again = FileSystemObjectStore.open(root())) {
            assertThat(again.get("a/b")).isEqualTo(bytes("x"));
        }
    }

    @Test
    void removesOnlyOldLeftoversWhenOpened() throws IOException {
        var temporary = root().resolve(FileSystemObjectStore.TEMPORARY);
        var old = Files.writeString(temporary.resolve("old"), "x");
        var young = Files.writeString(temporary.resolve("young"), "x");
        var now = Files.getLastModifiedTime(young).toInstant();
        var age = FileSystemObjectStore.LEFTOVER_AGE;
        Files.setLastModifiedTime(old, FileTime.from(now.minus(age).minus(Duration.ofMinutes(1))));
        Files.setLastModifiedTime(young, FileTime.from(now.minus(age).plus(Duration.ofMinutes(1))));

        FileSystemObjectStore.open(root()).close();

        assertThat(temporary).isDirectoryNotContaining(path -> path.equals(old));
        assertThat(young).exists();
        assertThat(names("")).isEmpty();
    }

    @Test
    void discardsWhatWasBegunBefore() throws IOException {
        var unfinished = Files.writeString(
                root().resolve(FileSystemObjectStore.TEMPORARY).resolve("x"), "x");
        var begun = Files.getLastModifiedTime(unfinished).toInstant();

        store.discardUnfinished(begun);
        assertThat(unfinished).exists();
        store.discardUnfinished(begun.plusMillis(1));
        assertThat(unfinished).doesNotExist();
    }

    @Test
    void leavesForeignFilesAlone() throws IOException {
        store.put("a", bytes("x"));
        Files.createDirectories(root().resolve("lost+found"));
        Files.writeString(root().resolve("a note"), "x");

        assertThat(names("")).containsExactly("a");
    }

    @Test
    void createsItsFolderAgainWhenItWasRemoved() throws IOException {
        store.put("a/b/c", bytes("x"));
        Files.delete(root().resolve("a/b/c"));
        Files.delete(root().resolve("a/b"));
        Files.delete(root().resolve("a"));
        Files.delete(root().resolve(FileSystemObjectStore.TEMPORARY));

        store.put("a/b/d", bytes("y"));
        assertThat(store.get("a/b/d")).isEqualTo(bytes("y"));
    }

    @Test
    void refusesAnObjectWithTheNameOfAFolder() {
        store.put("a/b", bytes("x"));

        assertThatThrownBy(() -> store.put("a/b/c", bytes("x")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("a/b/c");
        assertThatThrownBy(() -> store.put("a", bytes("x"))).isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> store.createIfAbsent("a/b/c", bytes("x"))).isInstanceOf(ConfigurationException.class);
        assertThatThrownBy(() -> store.createIfAbsent("a", bytes("x"))).isInstanceOf(ConfigurationException.class);
        assertThat(names("")).containsExactly("a/b");
        assertThat(root().resolve(FileSystemObjectStore.TEMPORARY)).isEmptyDirectory();
    }

    @Test
    void seesNoObjectBelowAnother() {
        store.put("a/b", bytes("x"));
        store.delete(List.of("a/b/c"));

        assertThat(store.exists("a/b/c")).isFalse();
        assertThatThrownBy(() -> store.get("a/b/c")).isInstanceOf(CorruptionException.class);
        assertThatThrownBy(() -> store.open("a/b/c", 0, 1)).isInstanceOf(CorruptionException.class);
        assertThat(names("a/b/")).isEmpty();
        assertThat(names("")).containsExactly("a/b");
    }

    @Test
    void refusesAFolderThatIsAFile() throws IOException {
        var file = Files.writeString(folder.resolve("file"), "x");

        assertThatThrownBy(() -> FileSystemObjectStore.open(file))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void refusesAFolderThatCannotBeWritten() {
        assertThatThrownBy(() -> FileSystemObjectStore.open(Path.of("/proc/weir")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("/proc/weir");
    }

    /** F7: what another process damages is seen, not papered over. */
    @Test
    void seesAFileThatWasCut() throws IOException {
        store.put("a", bytes("0123456789"));
        try (var in = store.open("a", 0, 10)) {
            Files.writeString(root().resolve("a"), "0123");
            assertThatThrownBy(in::readAllBytes)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("after 4 of 10 bytes");
        }
        store.delete(List.of("a"));
    }
}
