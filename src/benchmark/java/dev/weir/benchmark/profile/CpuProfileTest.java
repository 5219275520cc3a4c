package dev.weir.benchmark.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuProfileTest {

    @TempDir
    Path folder;

    @Test
    void tellsWhereTheProcessingThreadIs() throws IOException {
        Path file = folder.resolve("stacks");
        Files.write(
                file,
                List.of(
                        "[compiler tid=7];compile 80",
                        "[starting tid=6];dev/weir/benchmark/Worker.main;dev/weir/benchmark/Worker.configure 10",
                        "[processing tid=8];dev/weir/worker/Loop.run;dev/weir/benchmark/Total.process;get(char const*) 30",
                        "[processing tid=8];dev/weir/worker/Loop.run;poll 10"));

        assertThat(CpuProfile.read(file).describe().lines())
                .contains("  61.5%       400  [compiler]", "  30.8%       200  [processing]")
                .contains(
                        "== [processing]: functions at the top of the stack, ms", "  75.0%       150  get(char const*)")
                .contains(
                        "  75.0%       150  dev/weir/benchmark/Total.process",
                        "  25.0%        50  dev/weir/worker/Loop.run")
                .contains(" 100.0%       200  dev/weir/worker/Loop.run");
    }
}
