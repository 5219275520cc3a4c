package dev.weir.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.ConfigurationException;
import dev.weir.time.Tokens;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstanceIdentityTest {

    @TempDir
    private Path folder;

    private String name(@Nullable String configured, Map<String, String> environment) {
        try (var identity = InstanceIdentity.take(folder, configured, environment, Tokens.secure())) {
            return identity.name();
        }
    }

    @Test
    void aNameThatIsMadeUpIsKept() {
        String first = name(null, Map.of("HOSTNAME", "laptop"));
        assertThat(first).matches("[0-9a-f]{16}");
        assertThat(name(null, Map.of())).isEqualTo(first);
    }

    @Test
    void whatIsConfiguredComesFirstThenThePod() {
        var pod = Map.of("POD_NAME", "weir-0", "HOSTNAME", "other", "KUBERNETES_SERVICE_HOST", "10.0.0.1");
        assertThat(name("mine", pod)).isEqualTo("mine");
        assertThat(name(null, pod)).isEqualTo("weir-0");
        assertThat(name(null, Map.of("HOSTNAME", "weir.2", "KUBERNETES_SERVICE_HOST", "10.0.0.1")))
                .isEqualTo("weir-2");
    }

    @Test
    void twoProcessesCannotShareADirectory() {
        try (var first = InstanceIdentity.take(folder, "a", Map.of(), Tokens.secure())) {
            assertThat(first.name()).isEqualTo("a");
            assertThatThrownBy(() -> InstanceIdentity.take(folder, "b", Map.of(), Tokens.secure()))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessage("Cannot use the state directory " + folder
                            + ": another process uses it; give each process a weir.state.directory of its own");
        }
        assertThat(name("b", Map.of())).isEqualTo("b");
    }

    @Test
    void aDirectoryThatCannotBeMadeIsRefused() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> InstanceIdentity.take(file, null, Map.of(), Tokens.secure()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("Cannot use the state directory " + file + ": ")
                .hasMessageEndingWith("; set weir.state.directory to a folder that this process can write to");
    }

    @Test
    void aDamagedNameIsNotReplacedInSilence() throws Exception {
        Files.writeString(folder.resolve("instance-id"), "../x");
        assertThatThrownBy(() -> name(null, Map.of()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("its file instance-id holds no name");
        assertThat(name("mine", Map.of())).isEqualTo("mine");
    }
}
