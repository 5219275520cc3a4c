package dev.weir.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Clock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.util.FileSystemUtils;

/**
 * Seed after seed, in the profile {@code torture} only. {@code torture.seeds} and {@code torture.first-seed} say which, {@code
 * torture.minutes} after which time no other is begun, {@code torture.seed} that it is this one alone.
 */
class TortureCampaign {

    private final Clock clock = Clock.system();

    @Test
    void nothingIsLostDoubledOrLeftWhateverHappens() throws Exception {
        var target =
                Path.of(System.getProperty("torture.target", "target/torture")).toAbsolutePath();
        Long only = Long.getLong("torture.seed");
        long first = only == null ? Long.getLong("torture.first-seed", 1) : only;
        long seeds = only == null ? Long.getLong("torture.seeds", 30) : 1;
        long until = clock.millis() + Long.getLong("torture.minutes", 24 * 60) * 60_000;
        Files.createDirectories(target);
        var results = new ArrayList<SeedRun.Result>();
        for (long seed = first; seed < first + seeds && clock.millis() < until; seed++) {
            var folder = target.resolve("seed-" + seed);
            FileSystemUtils.deleteRecursively(folder);
            Files.createDirectories(folder);
            var result = new SeedRun(seed, folder).run();
            results.add(result);
            Report.write(target, results);
            System.out.println(Report.line(result));
            if (result.violations().isEmpty()) {
                FileSystemUtils.deleteRecursively(folder);
            } else {
                System.out.println(Report.violation(result, folder));
            }
        }
        System.out.println(Report.table(results));

        assertThat(results).as("seeds that were run").isNotEmpty();
        assertThat(results).as("seeds with violations").allSatisfy(result -> assertThat(result.violations())
                .as("violations of seed " + result.seed() + ", logs in " + target.resolve("seed-" + result.seed()))
                .isEmpty());
    }
}
