package dev.weir.benchmark.profile;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * CPU samples of a worker by async-profiler, which comes with Flink: unlike a flight recording it sees native code too. It covers the
 * worker's whole life, so its start is in it.
 */
final class CpuProfile {

    private static final int SAMPLE_MILLIS = 5;
    private static final int ROWS = 40;
    private static final String OURS = "dev/weir/";
    private static final String WORK = "dev/weir/benchmark/";

    /** A stack from its root to its top, and how often it was seen. */
    private record Stack(String thread, List<String> frames, long samples) {}

    private final List<Stack> stacks;

    private CpuProfile(List<Stack> stacks) {
        this.stacks = stacks;
    }

    /** JVM options that make one, written when the JVM ends; what is needed for it is put beside the file. */
    static String options(Path file) throws IOException {
        String platform = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64";
        String name = "/linux-" + platform + "/libasyncProfiler.so";
        Path library = file.resolveSibling("libasyncProfiler.so");
        try (InputStream stream = CpuProfile.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new FileNotFoundException("Cannot profile native code: " + name + " is not on the class path");
            }
            Files.deleteIfExists(library);
            Files.copy(stream, library);
        }
        return "-agentpath:" + library + "=start,event=itimer,interval=" + SAMPLE_MILLIS + "ms,threads,collapsed,file="
                + file + " -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints";
    }

    /** Reads lines of frames with semicolons between, the thread in front and the number at the end. */
    static CpuProfile read(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return new CpuProfile(lines.map(CpuProfile::stack).toList());
        }
    }

    private static Stack stack(String line) {
        int number = line.lastIndexOf(' ');
        String[] frames = line.substring(0, number).split(";");
        return new Stack(
                frames[0].replaceAll(" tid=\\d+\\]$", "]"),
                Arrays.asList(frames).subList(1, frames.length),
                Long.parseLong(line.substring(number + 1)));
    }

    /** Where the CPU goes, for a reader. */
    String describe() {
        var text = new StringBuilder();
        line(text, "%n== CPU by thread, ms");
        table(text, stacks, stack -> List.of(stack.thread));
        List<String> processing = stacks.stream()
                .filter(CpuProfile::processes)
                .map(Stack::thread)
                .distinct()
                .toList();
        String busiest = sums(stacks, stack -> List.of(stack.thread)).entrySet().stream()
                .filter(each -> processing.contains(each.getKey()))
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse("?");
        List<Stack> own =
                stacks.stream().filter(stack -> stack.thread.equals(busiest)).toList();
        line(text, "%n== %s: functions at the top of the stack, ms", busiest);
        table(text, own, stack -> List.of(stack.frames.get(stack.frames.size() - 1)));
        line(text, "%n== %s: methods of ours nearest to the top, ms", busiest);
        table(text, own, stack -> List.of(nearest(stack)));
        line(text, "%n== %s: functions anywhere in the stack, with all that they call, ms", busiest);
        table(text, own, stack -> new LinkedHashSet<>(stack.frames));
        return text.toString();
    }

    /** Whether it is at work on a record, and not at starting the worker. */
    private static boolean processes(Stack stack) {
        return stack.frames.stream().anyMatch(frame -> frame.startsWith(WORK))
                && stack.frames.stream().noneMatch(frame -> frame.endsWith(".main"));
    }

    private static String nearest(Stack stack) {
        String found = "(none)";
        for (String frame : stack.frames) {
            if (frame.startsWith(OURS)) {
                found = frame;
            }
        }
        return found;
    }

    private static Map<String, Long> sums(List<Stack> stacks, Function<Stack, ? extends Iterable<String>> keys) {
        Map<String, Long> sums = new HashMap<>();
        for (Stack stack : stacks) {
            for (String key : keys.apply(stack)) {
                sums.merge(key, stack.samples * SAMPLE_MILLIS, Long::sum);
            }
        }
        return sums;
    }

    private static void table(
            StringBuilder text, List<Stack> stacks, Function<Stack, ? extends Iterable<String>> keys) {
        long whole = Math.max(1, stacks.stream().mapToLong(Stack::samples).sum() * SAMPLE_MILLIS);
        sums(stacks, keys).entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(ROWS)
                .forEach(each -> line(
                        text, "%6.1f%%  %8d  %s", 100.0 * each.getValue() / whole, each.getValue(), each.getKey()));
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
    }
}
