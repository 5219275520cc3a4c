package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

class ComposeFileTest {

    /** A tag that starts with a version, as in 4.3.1 or v1.8.0. */
    private static final Pattern PINNED = Pattern.compile(".+:v?\\d+\\.\\d+\\.\\d+[\\w.-]*(@sha256:[0-9a-f]{64})?");

    @Test
    void pinsImagesAndChecksHealth() throws IOException {
        assertThat(faults(Files.readString(Path.of("docker-compose.yml")))).isEmpty();
    }

    @Test
    void runsKafkaAndAnObjectStore() throws IOException {
        assertThat(services(Files.readString(Path.of("docker-compose.yml")))).containsKeys("kafka", "s3");
    }

    @Test
    void noticesEachFault() {
        var faulty = """
                services:
                  floating: {image: "a/b:latest", healthcheck: {test: ["CMD", "true"]}}
                  untagged: {image: "a/b", healthcheck: {test: ["CMD", "true"]}}
                  unwatched: {image: "a/b:1.2.3"}
                  stray: {image: "a/b:1.2.3", healthcheck: {test: ["CMD", "true"]}, volumes: ["data:/data"]}
                  open: {image: "a/b:1.2.3", healthcheck: {test: ["CMD", "true"]}, ports: ["9092:9092"]}
                volumes: {other: }
                """;

        assertThat(faults(faulty))
                .containsExactlyInAnyOrder(
                        "floating: image a/b:latest is not pinned",
                        "untagged: image a/b is not pinned",
                        "unwatched: no healthcheck",
                        "stray: volume data is not declared",
                        "open: port 9092:9092 is not bound to loopback");
    }

    private static List<String> faults(String compose) {
        var faults = new ArrayList<String>();
        var volumes = map(document(compose).get("volumes"));
        services(compose).forEach((name, value) -> {
            var service = map(value);
            var image = String.valueOf(service.get("image"));
            if (!service.containsKey("build") && !PINNED.matcher(image).matches()) {
                faults.add(name + ": image " + image + " is not pinned");
            }
            if (!map(service.getOrDefault("healthcheck", Map.of())).containsKey("test")) {
                faults.add(name + ": no healthcheck");
            }
            for (Object mount : list(service.getOrDefault("volumes", List.of()))) {
                var source = String.valueOf(mount).split(":", 2)[0];
                if (!source.startsWith(".") && !volumes.containsKey(source)) {
                    faults.add(name + ": volume " + source + " is not declared");
                }
            }
            for (Object port : list(service.getOrDefault("ports", List.of()))) {
                if (!String.valueOf(port).startsWith("127.0.0.1:")) {
                    faults.add(name + ": port " + port + " is not bound to loopback");
                }
            }
        });
        return faults;
    }

    private static Map<?, ?> document(String compose) {
        return map(new Yaml(new SafeConstructor(new LoaderOptions())).load(compose));
    }

    @SuppressWarnings("unchecked") // Compose names its services by strings.
    private static Map<String, Object> services(String compose) {
        return (Map<String, Object>) document(compose).get("services");
    }

    @SuppressWarnings("unchecked") // Compose has string keys only.
    private static Map<String, Object> map(Object value) {
        assertThat(value).isInstanceOf(Map.class);
        return (Map<String, Object>) value;
    }

    private static List<?> list(Object value) {
        assertThat(value).isInstanceOf(List.class);
        return (List<?>) value;
    }
}
