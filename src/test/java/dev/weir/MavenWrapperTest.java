package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Runs mvnw with a PATH and a network of the test's making. */
@EnabledOnOs(OS.LINUX)
class MavenWrapperTest {

    private static final List<String> TOOLS = List.of(
            "sed",
            "tr",
            "head",
            "awk",
            "dirname",
            "mktemp",
            "mkdir",
            "rm",
            "mv",
            "cp",
            "tar",
            "gzip",
            "sha512sum",
            "cut");

    @TempDir
    private Path directory;

    private Path project;
    private Path path;

    @BeforeEach
    void prepare() throws IOException {
        project = Files.createDirectories(directory.resolve("the project"));
        path = Files.createDirectories(directory.resolve("bin"));
        Files.createDirectories(project.resolve(".mvn/wrapper"));
        Files.copy(Path.of("mvnw"), project.resolve("mvnw"), StandardCopyOption.COPY_ATTRIBUTES);
        for (String tool : TOOLS) {
            program(tool, "exec '" + find(tool) + "' \"$@\"");
        }
        program("java", "exit 0");
        program("javac", "echo javac 17.0.1");
        program(
                "curl",
                "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && out=$2; shift; done; cp '" + archive() + "' \"$out\"");
        properties(sha512(archive()));
    }

    @Test
    void takesTheMavenOnThePath() throws Exception {
        program("mvn", "printf '\\033[1mApache Maven 3.8.6 (x)\\033[m\\n'; echo installed \"$@\"");

        assertThat(run("-Dname=a b", "verify"))
                .endsWith("installed -f " + project + "/pom.xml -Dname=a b verify\nexit 0");
    }

    @Test
    void leavesAnotherProjectToTheCaller() throws Exception {
        program("mvn", "echo Apache Maven 4.0.0-rc-4; echo installed \"$@\"");

        assertThat(run("--file", "other.xml", "verify")).endsWith("installed --file other.xml verify\nexit 0");
    }

    @Test
    void downloadsThePinnedMavenOnce() throws Exception {
        program("mvn", "echo Apache Maven 3.8.5");

        assertThat(run("a  b", "*")).endsWith("pinned -f " + project + "/pom.xml a  b * -Xmx9m\nexit 0");
        program("curl", "exit 22");
        assertThat(run("again")).isEqualTo("pinned -f " + project + "/pom.xml again -Xmx9m\nexit 0");
    }

    @Test
    void refusesAnArchiveThatIsNotThePinnedOne() throws Exception {
        properties("0".repeat(128));

        assertThat(run("verify"))
                .contains("mvnw: Cannot use https://example.org/maven.tar.gz: its SHA-512 is ")
                .endsWith("exit 1");
        try (Stream<Path> cached = Files.list(directory.resolve(".m2/wrapper"))) {
            assertThat(cached).isEmpty();
        }
    }

    @Test
    void saysWhatIsMissing() throws Exception {
        program("curl", "exit 22");
        assertThat(run("verify"))
                .contains("Cannot download Maven from https://")
                .endsWith("exit 1");

        program("javac", "echo javac 1.8.0_392 >&2");
        assertThat(run("verify"))
                .contains("the JDK of the PATH is 1.8.0, and 17 or newer")
                .endsWith("exit 1");

        Files.delete(path.resolve("javac"));
        assertThat(run("verify")).contains("no javac in the PATH").endsWith("exit 1");

        Files.delete(path.resolve("java"));
        assertThat(run("verify")).contains("no java in the PATH").endsWith("exit 1");
    }

    private String run(String... arguments) throws IOException, InterruptedException {
        var command = Stream.concat(Stream.of(project.resolve("mvnw").toString()), Arrays.stream(arguments))
                .toList();
        var builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", path.toString());
        builder.environment().put("HOME", directory.toString());
        builder.environment().put("MAVEN_OPTS", "-Xmx9m");
        var process = builder.start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return output + "exit " + process.exitValue();
    }

    private Path archive() throws IOException {
        var archive = directory.resolve("maven.tar.gz");
        if (Files.notExists(archive)) {
            var bin = Files.createDirectories(directory.resolve("apache-maven-9.9.9/bin"));
            script(bin.resolve("mvn"), "echo pinned \"$@\" $MAVEN_OPTS");
            try {
                var tar = new ProcessBuilder("tar", "-czf", archive.toString(), "apache-maven-9.9.9")
                        .directory(directory.toFile())
                        .inheritIO()
                        .start();
                assertThat(tar.waitFor()).isZero();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("Cannot pack " + archive + ": interrupted.", e);
            }
        }
        return archive;
    }

    private void properties(String sha512) throws IOException {
        Files.writeString(project.resolve(".mvn/wrapper/maven-wrapper.properties"), """
                distributionVersion=9.9.9
                distributionUrl=https://example.org/maven.tar.gz
                distributionSha512=%s
                """.formatted(sha512));
    }

    private void program(String name, String body) throws IOException {
        script(path.resolve(name), body);
    }

    private static void script(Path file, String body) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static Path find(String tool) {
        return Stream.of(System.getenv("PATH").split(":"))
                .map(entry -> Path.of(entry, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new AssertionError("No " + tool + " on the PATH"));
    }

    private static String sha512(Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-512").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-512", e);
        }
    }
}
