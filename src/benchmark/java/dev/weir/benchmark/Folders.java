package dev.weir.benchmark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Folders as a whole. */
final class Folders {

    private Folders() {}

    /** Deletes a folder with all that is in it, if it is there. */
    static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            for (Path file : files(folder)) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** The bytes of all files in a folder, 0 if it is not there; what vanishes meanwhile does not count. */
    static long size(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return 0;
        }
        long bytes = 0;
        for (Path file : files(folder)) {
            if (Files.isRegularFile(file)) {
                bytes += sizeIfThere(file);
            }
        }
        return bytes;
    }

    private static long sizeIfThere(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.sorted(Comparator.reverseOrder()).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
