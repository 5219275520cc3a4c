package dev.weir.benchmark;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** What Linux knows about a process. */
record ProcessFacts(long pid) {

    private static final double TICKS_PER_SECOND = 100;
    private static final int USER_TIME = 11;
    private static final int SYSTEM_TIME = 12;

    /** User and system seconds so far; 0 if the process is gone. */
    double cpuSeconds() {
        return cpuSeconds(folder().resolve("stat"));
    }

    /** The most memory that it has held, in MiB. */
    long peakMiB() {
        return number("status", "VmHWM") >> 10;
    }

    /** What it has had written to disks so far, in bytes. */
    long writtenBytes() {
        return number("io", "write_bytes");
    }

    /** The CPU seconds of its threads, the busiest first; those whose names differ by a number only are added up. */
    Map<String, Double> busiest(int threads) {
        Map<String, Double> seconds = new HashMap<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(folder().resolve("task"))) {
            for (Path task : tasks) {
                String name = Files.readString(task.resolve("comm")).trim().replaceAll("#?\\d+$", "");
                seconds.merge(name, cpuSeconds(task.resolve("stat")), Double::sum);
            }
        } catch (IOException e) {
            return Map.of();
        }
        Map<String, Double> busiest = new LinkedHashMap<>();
        seconds.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .limit(threads)
                .forEach(each -> busiest.put(each.getKey(), each.getValue()));
        return busiest;
    }

    private long number(String file, String name) {
        try {
            return Files.readAllLines(folder().resolve(file)).stream()
                    .filter(line -> line.startsWith(name))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }

    private Path folder() {
        return Path.of("/proc", Long.toString(pid));
    }

    private static double cpuSeconds(Path stat) {
        try {
            String line = Files.readString(stat);
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME])) / TICKS_PER_SECOND;
        } catch (IOException e) {
            return 0;
        }
    }
}
