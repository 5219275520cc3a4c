package dev.weir.torture;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/**
 * The class path of the processes, made of jars alone, and archives of loaded classes: a JVM starts in half the time with one. The first
 * process of a kind that ends in good order leaves one for all that come later.
 */
final class Classes {

    private final Path folder;
    private final String path;

    Classes(Path folder) {
        this.folder = folder;
        deleteArchives();
        this.path = path();
    }

    /** An archive is of no use with a jar that has been written anew. */
    private void deleteArchives() {
        try {
            Files.deleteIfExists(archive("broker"));
            Files.deleteIfExists(archive("worker"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String path() {
        var jars = new ArrayList<String>();
        var own = folder.resolve("classes.jar");
        jars.add(own.toString());
        var names = new HashSet<String>();
        try (var jar = new JarOutputStream(Files.newOutputStream(own))) {
            for (var entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                if (Files.isDirectory(Path.of(entry))) {
                    add(Path.of(entry), jar, names);
                } else {
                    jars.add(entry);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return String.join(File.pathSeparator, jars);
    }

    private static void add(Path root, JarOutputStream jar, Set<String> names) throws IOException {
        try (var files = Files.walk(root)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                var name = root.relativize(file).toString();
                if (names.add(name)) {
                    jar.putNextEntry(new JarEntry(name));
                    Files.copy(file, jar);
                }
            }
        }
    }

    /** Whether there is an archive of this kind. */
    boolean isArchived(String kind) {
        return Files.exists(archive(kind));
    }

    /** The arguments that make a JVM use what there is, or leave an archive when it ends. */
    List<String> arguments(String kind) {
        var use = isArchived(kind) ? "-XX:SharedArchiveFile=" : "-XX:ArchiveClassesAtExit=";
        return List.of(use + archive(kind), "-cp", path);
    }

    /** The arguments of a JVM that neither uses nor leaves one. */
    List<String> plain() {
        return List.of("-cp", path);
    }

    private Path archive(String kind) {
        return folder.resolve(kind + ".jsa");
    }
}
