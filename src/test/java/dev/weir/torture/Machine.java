package dev.weir.torture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** What only some machines let us do: small disks, and bounds on memory. What this one does not is told, not passed over. */
final class Machine {

    private static final Path MEMORY_V1 = Path.of("/sys/fs/cgroup/memory");

    private static final Path FAKE_TIME = Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1");

    private Machine() {}

    /** Mounts a disk of so many megabytes in memory at a folder; why not, if it cannot. */
    static Optional<String> mount(Path folder, int megabytes) {
        try {
            Files.createDirectories(folder);
            return run(List.of(
                    "mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "weir-torture", folder.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Why a process cannot be made to see another time; empty if it can. */
    static Optional<String> refusesClock() {
        return Files.exists(FAKE_TIME) ? Optional.empty() : Optional.of("there is no " + FAKE_TIME + " (libfaketime)");
    }

    /** A command before a command that makes it see another time, for instance {@code +1h}, and the same durations. */
    static List<String> atTime(String shift) {
        return List.of(
                "env",
                "LD_PRELOAD=" + FAKE_TIME,
                "FAKETIME=" + shift,
                "FAKETIME_DONT_FAKE_MONOTONIC=1",
                // Else a wait for a time of the monotonic clock, which is not shifted, ends at once.
                "FAKETIME_FORCE_MONOTONIC_FIX=0");
    }

    /** Undoes {@link #mount}, as soon as nobody uses it any more. */
    static void unmount(Path folder) {
        run(List.of("umount", "-l", folder.toString()));
    }

    /** Writes a file until the disk is full; how many bytes there was room for. */
    static long fill(Path file) {
        var block = new byte[64 << 10];
        long written = 0;
        try (var out = Files.newOutputStream(file)) {
            while (true) {
                out.write(block);
                written += block.length;
            }
        } catch (IOException full) {
            return written;
        }
    }

    /** A group of processes that may use so many megabytes; why not, if there can be none. */
    static Optional<String> group(String name, int megabytes) {
        var group = MEMORY_V1.resolve(name);
        try {
            Files.createDirectory(group);
            Files.writeString(group.resolve("memory.limit_in_bytes"), Long.toString((long) megabytes << 20));
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("no memory control group can be made at " + group + ": " + e);
        }
    }

    /** A script that enters the group and becomes the command that it is given. */
    static Path entry(Path folder, String group) {
        try {
            var script = folder.resolve("in-" + group + ".sh");
            Files.writeString(
                    script,
                    "#!/bin/sh\necho $$ > " + MEMORY_V1.resolve(group) + "/cgroup.procs || exit 1\nexec \"$@\"\n");
            Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
            return script;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many of the group the kernel has killed for want of memory. */
    static long killedForMemory(String group) {
        try {
            return Files.readAllLines(MEMORY_V1.resolve(group).resolve("memory.oom_control")).stream()
                    .filter(line -> line.startsWith("oom_kill "))
                    .mapToLong(line -> Long.parseLong(line.substring("oom_kill ".length())))
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes a group without processes; whether it is gone. */
    static boolean dissolve(String group) throws IOException {
        return Files.deleteIfExists(MEMORY_V1.resolve(group)) || !Files.exists(MEMORY_V1.resolve(group));
    }

    /** Runs a command; what it said, if it failed. */
    static Optional<String> run(List<String> command) {
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            var said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0
                    ? Optional.empty()
                    : Optional.of(String.join(" ", command) + ": " + said.strip());
        } catch (IOException e) {
            return Optional.of(String.join(" ", command) + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
