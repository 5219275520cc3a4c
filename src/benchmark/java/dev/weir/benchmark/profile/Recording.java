package dev.weir.benchmark.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/** A flight recording of a worker, reduced to what tells where its time and its allocations go. */
final class Recording {

    /** How often a thread that runs Java code is looked at. */
    private static final int SAMPLE_MILLIS = 10;

    private static final int ROWS = 25;
    private static final String OURS = "dev.weir.";

    /** A sample of a thread. */
    private record Stack(String thread, List<String> frames, double weight, String type) {}

    private final List<Stack> java = new ArrayList<>();
    private final List<Stack> nativeCode = new ArrayList<>();
    private final List<Stack> allocations = new ArrayList<>();
    private final Map<String, double[]> load = new HashMap<>();
    private double pauseMillis;
    private int pauses;

    private Recording() {}

    /** JVM options that make one, written when the JVM ends. */
    static String options(Path file) {
        return "-XX:StartFlightRecording=settings=profile,dumponexit=true,disk=true,maxsize=1g,filename=" + file
                + ",jdk.ExecutionSample#period=" + SAMPLE_MILLIS + "ms,jdk.NativeMethodSample#period=" + SAMPLE_MILLIS
                + "ms,jdk.ThreadCPULoad#period=1s,jdk.ObjectAllocationSample#throttle=1000/s"
                + " -XX:FlightRecorderOptions=stackdepth=128 -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints";
    }

    /** Reads what happened between two times, in milliseconds since the Unix epoch. */
    static Recording read(Path file, long from, long to) throws IOException {
        var recording = new Recording();
        Instant begin = Instant.ofEpochMilli(from);
        Instant end = Instant.ofEpochMilli(to);
        try (var events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                if (!event.getStartTime().isBefore(begin)
                        && !event.getStartTime().isAfter(end)) {
                    recording.take(event);
                }
            }
        }
        return recording;
    }

    private void take(RecordedEvent event) {
        switch (event.getEventType().getName()) {
            case "jdk.ExecutionSample" -> add(java, event, event.getThread("sampledThread"), SAMPLE_MILLIS, "");
            case "jdk.NativeMethodSample" -> add(nativeCode, event, event.getThread("sampledThread"), 1, "");
            case "jdk.ObjectAllocationSample" ->
                add(
                        allocations,
                        event,
                        event.getThread(),
                        (double) event.getLong("weight"),
                        event.getClass("objectClass").getName());
            case "jdk.ThreadCPULoad" -> {
                double[] sums = load.computeIfAbsent(name(event.getThread()), any -> new double[2]);
                sums[0] += event.getFloat("user");
                sums[1] += event.getFloat("system");
            }
            case "jdk.GCPhasePause" -> {
                pauseMillis += event.getDuration().toNanos() / 1e6;
                pauses++;
            }
            default -> {}
        }
    }

    private static void add(
            List<Stack> stacks, RecordedEvent event, @Nullable RecordedThread thread, double weight, String type) {
        var trace = event.getStackTrace();
        if (trace != null) {
            stacks.add(new Stack(
                    name(thread),
                    trace.getFrames().stream()
                            .filter(RecordedFrame::isJavaFrame)
                            .map(Recording::name)
                            .toList(),
                    weight,
                    type));
        }
    }

    private static String name(@Nullable RecordedThread thread) {
        if (thread == null) {
            return "?";
        }
        String java = thread.getJavaName();
        return Objects.requireNonNullElse(java == null ? thread.getOSName() : java, "?");
    }

    private static String name(RecordedFrame frame) {
        return frame.getMethod().getType().getName() + "." + frame.getMethod().getName();
    }

    /** Where the time goes, for a reader; per record of so many where that says more. */
    String describe(double seconds, long records) {
        var text = new StringBuilder();
        line(
                text,
                "%n== Threads that run Java code, by CPU over %.1f s (user + system cores; samples in Java)",
                seconds);
        Map<String, Double> byThread = sums(java, stack -> List.of(stack.thread));
        double cores = Runtime.getRuntime().availableProcessors();
        load.entrySet().stream()
                .sorted((a, b) -> Double.compare(total(b.getValue()), total(a.getValue())))
                .limit(12)
                .forEach(each -> line(
                        text,
                        "%8.2f + %.2f   %7.0f ms   %s",
                        each.getValue()[0] * cores / seconds,
                        each.getValue()[1] * cores / seconds,
                        byThread.getOrDefault(each.getKey(), 0.0),
                        each.getKey()));
        line(text, "Garbage collection: %d pauses, %.0f ms", pauses, pauseMillis);
        String busiest = byThread.entrySet().stream()
                .filter(each -> !each.getKey().contains("Compiler"))
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse("?");
        describeThread(text, busiest, seconds);
        line(text, "%n== Native samples of %s: what is called (waiting included)", busiest);
        table(text, of(nativeCode, busiest), stack -> stack.frames.subList(0, Math.min(1, stack.frames.size())));
        double allocated = allocations.stream().mapToDouble(Stack::weight).sum();
        line(text, "%n== Allocations: %.0f bytes a record in all, about; by thread", allocated / records);
        table(text, allocations, stack -> List.of(stack.thread));
        List<Stack> own = of(allocations, busiest);
        line(text, "%n== Allocations of %s, by class", busiest);
        table(text, own, stack -> List.of(stack.type));
        line(text, "%n== Allocations of %s, by method that allocates", busiest);
        table(text, own, stack -> List.of(stack.type + "  in  " + first(stack, any -> true)));
        line(text, "%n== Allocations of %s, by method of ours nearest to them", busiest);
        table(text, own, stack -> List.of(first(stack, frame -> frame.startsWith(OURS))));
        return text.toString();
    }

    private void describeThread(StringBuilder text, String thread, double seconds) {
        List<Stack> own = of(java, thread);
        line(text, "%n== %s, Java samples: methods at the top of the stack (of %.1f s)", thread, seconds);
        table(text, own, stack -> List.of(first(stack, any -> true)));
        line(text, "%n== %s: packages at the top of the stack", thread);
        table(text, own, stack -> List.of(packageOf(first(stack, any -> true))));
        line(text, "%n== %s: methods of ours nearest to the top", thread);
        table(text, own, stack -> List.of(first(stack, frame -> frame.startsWith(OURS))));
        line(text, "%n== %s: methods anywhere in the stack, with all that they call", thread);
        table(text, own, Recording::distinct);
    }

    private static List<Stack> of(List<Stack> stacks, String thread) {
        return stacks.stream().filter(stack -> stack.thread.equals(thread)).toList();
    }

    private static Set<String> distinct(Stack stack) {
        return stack.frames.stream()
                .filter(frame ->
                        frame.startsWith(OURS) || frame.startsWith("org.apache.") || frame.startsWith("org.rocksdb."))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static String first(Stack stack, Predicate<String> condition) {
        return stack.frames.stream().filter(condition).findFirst().orElse("(none)");
    }

    private static String packageOf(String method) {
        int type = method.lastIndexOf('.');
        int end = type < 0 ? -1 : method.lastIndexOf('.', type - 1);
        return end < 0 ? method : method.substring(0, end);
    }

    private static Map<String, Double> sums(List<Stack> stacks, Function<Stack, ? extends Iterable<String>> keys) {
        Map<String, Double> sums = new HashMap<>();
        for (Stack stack : stacks) {
            for (String key : keys.apply(stack)) {
                sums.merge(key, stack.weight, Double::sum);
            }
        }
        return sums;
    }

    private static void table(
            StringBuilder text, List<Stack> stacks, Function<Stack, ? extends Iterable<String>> keys) {
        double whole = Math.max(1, stacks.stream().mapToDouble(Stack::weight).sum());
        Map<String, Double> sums = sums(stacks, keys);
        sums.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .limit(ROWS)
                .forEach(each -> line(
                        text, "%6.1f%%  %12.0f  %s", 100 * each.getValue() / whole, each.getValue(), each.getKey()));
    }

    private static double total(double[] sums) {
        return sums[0] + sums[1];
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
    }
}
