package dev.weir.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What figures are true of: the machine and the versions. */
final class Machine {

    private static final List<String> JARS = List.of(
            "kafka-streams", "flink-runtime", "flink-connector-kafka", "rocksdbjni", "frocksdbjni", "kafka_2.13");

    private Machine() {}

    /** For a reader, a line each. */
    static List<String> describe(Path target, String jvm) throws IOException {
        String classPaths = Files.readString(target.resolve("kafka.classpath")) + ":"
                + Files.readString(target.resolve("flink.classpath"));
        String versions =
                JARS.stream().flatMap(jar -> version(jar, classPaths).stream()).collect(Collectors.joining(", "));
        return List.of(
                String.format(
                        Locale.ROOT,
                        "%d cores (%s), %s GiB of memory, %s",
                        Runtime.getRuntime().availableProcessors(),
                        first("/proc/cpuinfo", "model name\\s*: (.*)"),
                        Long.parseLong(first("/proc/meminfo", "MemTotal:\\s*(\\d+) kB")) >> 20,
                        System.getProperty("os.name") + " " + System.getProperty("os.version")),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                versions,
                "workers' JVMs: " + jvm,
                "load average before: "
                        + Files.readString(Path.of("/proc/loadavg")).trim());
    }

    private static List<String> version(String jar, String classPaths) {
        Matcher matcher =
                Pattern.compile("/" + Pattern.quote(jar) + "-([^/:]+)\\.jar").matcher(classPaths);
        return matcher.find() ? List.of(jar + " " + matcher.group(1)) : List.of();
    }

    private static String first(String file, String pattern) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.map(Pattern.compile(pattern)::matcher)
                    .filter(Matcher::matches)
                    .map(matcher -> matcher.group(1))
                    .findFirst()
                    .orElse("?");
        }
    }
}
