package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.marcnuri.helm.Helm;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Renders the chart with Helm's own library, which the build has for Linux on amd64 only. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class HelmChartTest {

    private static final Path CHART = Path.of("helm", "weir").toAbsolutePath();

    private final Helm helm = new Helm(CHART);

    @Test
    void passesLint() {
        var result = helm.lint().strict().call();

        assertThat(result.isFailed()).as(() -> result.getMessages().toString()).isFalse();
    }

    @Test
    void rendersWorkersWithStableNames() {
        var set = rendered("StatefulSet", helm.template().withName("delays").call());
        var service = rendered("Service", helm.template().withName("delays").call());

        assertThat(at(set, "metadata", "name")).isEqualTo("delays-weir");
        assertThat(at(set, "spec", "serviceName")).isEqualTo(at(service, "metadata", "name"));
        assertThat(at(service, "spec", "clusterIP")).isEqualTo("None");
        assertThat(at(set, "spec", "selector", "matchLabels")).isEqualTo(at(service, "spec", "selector"));
        assertThat(map(at(set, "spec", "template", "metadata", "labels")))
                .containsAllEntriesOf(map(at(service, "spec", "selector")));
    }

    @Test
    void restrictsThePod() {
        var rendered = helm.template().call();
        var pod = map(at(rendered("StatefulSet", rendered), "spec", "template", "spec"));
        var worker = worker(pod);

        assertThat(at(pod, "securityContext", "runAsNonRoot")).isEqualTo(true);
        assertThat(at(pod, "securityContext", "seccompProfile", "type")).isEqualTo("RuntimeDefault");
        assertThat(pod).containsEntry("automountServiceAccountToken", false);
        assertThat(rendered("ServiceAccount", rendered)).containsEntry("automountServiceAccountToken", false);
        assertThat(at(worker, "securityContext", "readOnlyRootFilesystem")).isEqualTo(true);
        assertThat(at(worker, "securityContext", "allowPrivilegeEscalation")).isEqualTo(false);
        assertThat(at(worker, "securityContext", "capabilities", "drop")).isEqualTo(List.of("ALL"));
    }

    @Test
    void givesTheWorkerWhatItNeeds() {
        var set = rendered(
                "StatefulSet",
                helm.template().set("env[0].name", "A").set("env[0].value", "b").call());
        var pod = map(at(set, "spec", "template", "spec"));
        var worker = worker(pod);

        assertThat(at(worker, "livenessProbe", "httpGet", "path")).isEqualTo("/actuator/health/liveness");
        assertThat(at(worker, "readinessProbe", "httpGet", "path")).isEqualTo("/actuator/health/readiness");
        assertThat(list(worker.get("volumeMounts"))).contains(Map.of("name", "work", "mountPath", "/var/lib/weir"));
        assertThat(list(pod.get("volumes"))).contains(Map.of("name", "work", "emptyDir", Map.of("sizeLimit", "10Gi")));
        assertThat(list(worker.get("env"))).contains(Map.of("name", "A", "value", "b"));
    }

    @Test
    void refusesBadValues() {
        assertThatThrownBy(() -> helm.template().set("replicas", -1).call()).hasMessageContaining("replicas");
        assertThatThrownBy(() -> helm.template().set("replica", 3).call()).hasMessageContaining("replica");
        assertThatThrownBy(() ->
                        helm.template().set("workVolume.sizeLimit", "plenty").call())
                .hasMessageContaining("sizeLimit");
    }

    private static Map<String, Object> worker(Map<String, Object> pod) {
        return map(list(pod.get("containers")).get(0));
    }

    private static Map<String, Object> rendered(String kind, String documents) {
        var yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
        return StreamSupport.stream(yaml.loadAll(documents).spliterator(), false)
                .filter(document -> document != null)
                .map(HelmChartTest::map)
                .filter(document -> kind.equals(document.get("kind")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("No " + kind + " in " + documents));
    }

    private static Object at(Map<String, Object> document, String... path) {
        Object value = document;
        for (String name : path) {
            value = map(value).get(name);
        }
        return value;
    }

    @SuppressWarnings("unchecked") // YAML's maps have string keys here.
    private static Map<String, Object> map(Object value) {
        assertThat(value).isInstanceOf(Map.class);
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked") // Elements are only compared, or go through map().
    private static List<Object> list(Object value) {
        assertThat(value).isInstanceOf(List.class);
        return (List<Object>) value;
    }
}
