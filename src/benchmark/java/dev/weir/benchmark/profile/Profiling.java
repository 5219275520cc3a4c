package dev.weir.benchmark.profile;

import dev.weir.benchmark.workload.Settings;
import java.io.IOException;
import java.nio.file.Path;

/** Whether and how a worker is looked into while it works; it is slower then. */
public enum Profiling {
    /** Not at all. */
    NONE,
    /** By a flight recording: Java code, allocations. */
    RECORDING,
    /** By samples of the CPU, native code included. */
    CPU;

    /** What the setting {@code profile} asks for: {@code false}, {@code true}, or {@code cpu}. */
    public static Profiling of(Settings settings) {
        String value = settings.get("profile", "false");
        return switch (value) {
            case "false" -> NONE;
            case "true" -> RECORDING;
            case "cpu" -> CPU;
            default ->
                throw new IllegalArgumentException("Cannot profile by '" + value + "': profile is false, true or cpu");
        };
    }

    /** Whether it is done at all. */
    public boolean isOn() {
        return this != NONE;
    }

    /** What the file that it makes is called, for a name. */
    public String file(String name) {
        return name + (this == CPU ? ".collapsed" : ".jfr");
    }

    /** Options of the worker's JVM. */
    public String options(Path file) throws IOException {
        return switch (this) {
            case NONE -> "";
            case RECORDING -> Recording.options(file);
            case CPU -> CpuProfile.options(file);
        };
    }

    /** What it has found out, for a reader: of so many records between two times in milliseconds since the Unix epoch. */
    public String describe(Path file, long from, long to, long records) throws IOException {
        return switch (this) {
            case NONE -> "";
            case RECORDING -> Recording.read(file, from, to).describe((to - from) / 1e3, records);
            case CPU -> CpuProfile.read(file).describe();
        };
    }
}
