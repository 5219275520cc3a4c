package dev.weir.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Clock;
import dev.weir.torture.Plan.Kind;
import dev.weir.torture.Plan.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.springframework.util.FileSystemUtils;

/**
 * Seed after seed, then each scenario, in the profile {@code torture} only. {@code torture.seeds} and {@code torture.first-seed} say which
 * seeds, {@code torture.seed} that it is this one alone, {@code torture.scenario} that it is these alone ({@code seeds}, {@code machine},
 * {@code network}, {@code clock}, {@code outage}), {@code torture.minutes} after which time nothing is begun any more.
 */
class TortureCampaign {

    private final Clock clock = Clock.system();

    @Test
    void nothingIsLostDoubledOrLeftWhateverHappens() throws Exception {
        var target =
                Path.of(System.getProperty("torture.target", "target/torture")).toAbsolutePath();
        long until = clock.millis() + Long.getLong("torture.minutes", 24 * 60) * 60_000;
        var plans = plans();
        Files.createDirectories(target);
        var classes = new Classes(target);
        var results = new ArrayList<SeedRun.Result>();
        var brokers = target.resolve("brokers");
        FileSystemUtils.deleteRecursively(brokers);
        Files.createDirectories(brokers);
        try (var site = plans.stream().anyMatch(plan -> plan.has(Kind.PARTITION)) ? Site.divided() : Site.loopback();
                var cluster = new Cluster(brokers, classes, site.address())) {
            var surroundings = new Scene.Surroundings(classes, cluster, site);
            results.add(run(Plan.ofNothing(), target, surroundings));
            for (var plan : plans) {
                if (clock.millis() < until) {
                    results.add(run(plan, target, surroundings));
                    Report.write(target, results);
                }
            }
        }
        System.out.println(Report.table(results));

        assertThat(results).as("plans that were run").hasSizeGreaterThan(1);
        assertThat(results.stream()
                        .filter(result -> !result.violations().isEmpty())
                        .map(result -> result.plan().name() + ": " + result.violations() + ", logs in "
                                + target.resolve(result.plan().name())))
                .as("violations")
                .isEmpty();
    }

    private static List<Plan> plans() {
        Long only = Long.getLong("torture.seed");
        if (only != null) {
            return List.of(Plan.of(only, Scene.WORKERS));
        }
        var chosen = List.of(System.getProperty("torture.scenario", "seeds,machine,network,clock,outage")
                .split(","));
        var plans = new ArrayList<Plan>();
        if (chosen.contains("seeds")) {
            long first = Long.getLong("torture.first-seed", 1);
            for (long seed = first; seed < first + Long.getLong("torture.seeds", 30); seed++) {
                plans.add(Plan.of(seed, Scene.WORKERS));
            }
        }
        chosen.stream()
                .filter(name -> !name.equals("seeds"))
                .forEach(name -> plans.add(Plan.of(Scenario.valueOf(name.toUpperCase(Locale.ROOT)))));
        return plans;
    }

    /** Runs a plan; its folder is left only if it violates something. */
    private static SeedRun.Result run(Plan plan, Path target, Scene.Surroundings surroundings) throws IOException {
        var folder = target.resolve(plan.name());
        FileSystemUtils.deleteRecursively(folder);
        Files.createDirectories(folder);
        var result = new SeedRun(plan, folder, surroundings).run();
        System.out.println(Report.line(result));
        if (result.violations().isEmpty() && !Boolean.getBoolean("torture.keep")) {
            FileSystemUtils.deleteRecursively(folder);
        } else if (!result.violations().isEmpty()) {
            System.out.println(Report.violation(result, folder));
        }
        return result;
    }
}
