package dev.weir.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.util.FileSystemUtils;

/**
 * Seed after seed, in the profile {@code torture} only. {@code torture.seeds} and {@code torture.first-seed} say which, {@code
 * torture.minutes} after which time no other is begun, {@code torture.seed} that it is this one alone; seed 0 is what needs more of the
 * machine, and comes last.
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
        var classes = new Classes(target);
        var results = new ArrayList<SeedRun.Result>();
        for (long seed = first; seed < first + seeds && clock.millis() < until; seed++) {
            results.add(run(seed == 0 ? Plan.ofMachine(0) : Plan.of(seed, SeedRun.WORKERS), target, classes));
            Report.write(target, results);
        }
        if (only == null && clock.millis() < until) {
            results.add(run(Plan.ofMachine(0), target, classes));
            Report.write(target, results);
        }
        System.out.println(Report.table(results));

        assertThat(results).as("seeds that were run").isNotEmpty();
        assertThat(results).as("seeds with violations").allSatisfy(result -> assertThat(result.violations())
                .as("violations of seed " + result.seed() + ", logs in " + target.resolve("seed-" + result.seed()))
                .isEmpty());
    }

    /** Runs a plan; its folder is left only if it violates something. */
    private static SeedRun.Result run(Plan plan, Path target, Classes classes) throws IOException {
        var folder = target.resolve("seed-" + plan.seed());
        FileSystemUtils.deleteRecursively(folder);
        Files.createDirectories(folder);
        var result = new SeedRun(plan, folder, classes).run();
        System.out.println(Report.line(result));
        if (result.violations().isEmpty()) {
            FileSystemUtils.deleteRecursively(folder);
        } else {
            System.out.println(Report.violation(result, folder));
        }
        return result;
    }
}
