package dev.weir.autoconfigure.preflight;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Tries the local disk. */
final class DiskFacts {

    private DiskFacts() {}

    static Facts.Disk gather(Path directory, Path libraryFolder) {
        String failure = null;
        long free = 0;
        try {
            Files.createDirectories(directory);
            Path probe = Files.createTempFile(directory, "probe", null);
            Files.write(probe, new byte[] {1});
            Files.delete(probe);
            free = Files.getFileStore(directory).getUsableSpace();
        } catch (IOException e) {
            failure = e.toString();
        }
        return new Facts.Disk(
                directory.toAbsolutePath().toString(),
                failure,
                free,
                libraryFolder.toString(),
                isExecutable(libraryFolder));
    }

    private static boolean isExecutable(Path folder) {
        try {
            Path probe = Files.createTempFile(folder, "weir", ".so");
            try {
                Files.setPosixFilePermissions(probe, PosixFilePermissions.fromString("rwx------"));
                return Files.isExecutable(probe);
            } finally {
                Files.delete(probe);
            }
        } catch (IOException | UnsupportedOperationException e) {
            // A folder that cannot be tried this way shows when the library is loaded.
            return true;
        }
    }
}
