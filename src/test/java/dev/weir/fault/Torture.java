package dev.weir.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.KafkaProxy;
import dev.weir.fixture.LocalS3;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The campaign of {@code ./mvnw verify -Ptorture}: seed after seed until the number of them or the time is used up. It is no test of an
 * ordinary build, and its name is none.
 *
 * <p>{@code -Dtorture.seeds} (30) and {@code -Dtorture.first-seed} (1) say which, {@code -Dtorture.minutes} (180) how long at most;
 * {@code -Dtorture.seeds=1 -Dtorture.first-seed=N} replays one.
 */
class Torture {

    private final Path results = Path.of("target", "torture");
    private final Tally all = new Tally();
    private final List<String> violations = new ArrayList<>();

    @Test
    void nothingIsLostOrDoubled() throws Exception {
        long first = Long.getLong("torture.first-seed", 1);
        long seeds = Long.getLong("torture.seeds", 30);
        long until = System.nanoTime()
                + Duration.ofMinutes(Long.getLong("torture.minutes", 180)).toNanos();
        Files.createDirectories(results);
        var folder = Files.createTempDirectory(results, "run-").toAbsolutePath();
        long done = 0;
        try (var s3 = LocalS3.start(folder.resolve("s3"));
                var proxy = KafkaProxy.start();
                var broker = BrokerProcess.start(folder, proxy)) {
            for (long seed = first; seed < first + seeds && System.nanoTime() < until; seed++) {
                one(seed, broker, proxy, s3, folder);
                done++;
                report(done);
            }
        }
        System.out.println(Files.readString(results.resolve("report.md")));
        assertThat(violations).isEmpty();
        assertThat(done).as("seeds within the time").isEqualTo(seeds);
    }

    private void one(long seed, BrokerProcess broker, KafkaProxy proxy, LocalS3 s3, Path folder) throws Exception {
        long begun = System.nanoTime();
        var own = Files.createDirectories(folder.resolve("seed-" + seed));
        var torture = new TortureSeed(seed, broker, proxy, s3, own);
        String verdict = "right";
        try {
            torture.run();
        } catch (Exception | AssertionError e) {
            verdict = String.valueOf(e.getMessage());
            violations.add(
                    "seed " + seed + ": " + e + "\n" + String.join("\n", torture.journal()) + "\nlogs are in " + own);
            System.out.println(violations.get(violations.size() - 1));
            e.printStackTrace(System.out);
        } finally {
            torture.close();
        }
        all.addAll(torture.tally());
        all.add("seeds");
        var line = "{\"seed\": " + seed + ", \"seconds\": " + (System.nanoTime() - begun) / 1_000_000_000
                + ", \"right\": " + verdict.equals("right") + ", \"counts\": "
                + torture.tally().json() + "}\n";
        Files.writeString(results.resolve("results.jsonl"), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        System.out.print(line);
    }

    private void report(long done) throws IOException {
        Files.writeString(
                results.resolve("report.md"),
                "# Torture: " + done + " seeds, " + violations.size() + " with a violation\n\n" + all.table());
    }
}
