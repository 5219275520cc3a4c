package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.weir.failure.WeirException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Checks the rules on the product, and on a fixture that breaks each of them on purpose. */
class ArchitectureTest {

    private static final JavaClasses PRODUCT = new ClassFileImporter().importPath(classesOf(WeirException.class));
    private static final JavaClasses FIXTURE = new ClassFileImporter().importPackages("dev.weir.archfixture");

    private final Architecture architecture = new Architecture("dev.weir", 20);
    private final Architecture broken = new Architecture("dev.weir.archfixture", 3);

    @TestFactory
    Stream<DynamicTest> holds() {
        return architecture.rules().stream()
                .map(rule -> DynamicTest.dynamicTest(rule.getDescription(), () -> rule.check(PRODUCT)));
    }

    @Test
    void seesTheProduct() {
        assertThat(PRODUCT.contain(WeirException.class)).isTrue();
        assertThat(PRODUCT).noneMatch(type -> type.getName().endsWith("Test"));
    }

    @Test
    void noticesAPackageThatIsNotListed() {
        assertThat(violations(broken.everyPackageIsListed()))
                .anyMatch(line -> line.contains("unlisted.Stray"))
                .noneMatch(line -> line.contains("worker.TaskManager"));
    }

    @Test
    void noticesAForbiddenDependency() {
        assertThat(violations(broken.dependencies("barrier"))).anyMatch(line -> line.contains("barrier.ReachesState"));
        assertThat(violations(broken.dependencies("snapshot"))).isEmpty();
        assertThat(violations(broken.dependencies("api"))).anyMatch(line -> line.contains("topology.Pong"));
    }

    @Test
    void keepsWorkerAndCoordinatorApart() {
        assertThat(Architecture.MAY_DEPEND_ON.get("worker")).contains("kafka").doesNotContain("coordinator");
        assertThat(Architecture.MAY_DEPEND_ON.get("coordinator")).doesNotContain("worker");
    }

    @Test
    void noticesACycle() {
        assertThat(violations(broken.noCycles()))
                .anyMatch(line -> line.contains("api.Ping") && line.contains("topology.Pong"));
    }

    @Test
    void noticesALibraryWhereItDoesNotBelong() {
        assertThat(misuse("RocksDB")).containsExactly("kafka.OpensRocksDb");
        assertThat(misuse("the AWS SDK")).containsExactly("snapshot.CallsS3");
        assertThat(misuse("Kafka's clients")).containsExactly("example.PollsKafka", "worker.PollsKafka");
        assertThat(misuse("Kafka's serdes")).containsExactly("worker.PollsKafka");
        assertThat(misuse("Kafka's topic descriptions")).containsExactly("worker.NamesTopics");
        assertThat(misuse("Spring")).containsExactly("testkit.WiresSpring");
        assertThat(misuse("Spring for Kafka")).containsExactly("actuator.WiresSpringKafka");
        assertThat(misuse("Micrometer")).containsExactly("worker.CountsItself");
        assertThat(misuse("Java serialization")).containsExactly("worker.SerializesJava");
    }

    @Test
    void noticesClocksAndSleep() {
        assertThat(violations(broken.noClocks()))
                .allMatch(line -> line.contains("worker.ReadsClocks"))
                .anyMatch(line -> line.contains("currentTimeMillis"))
                .anyMatch(line -> line.contains("nanoTime"))
                .anyMatch(line -> line.contains("Thread.sleep"))
                .anyMatch(line -> line.contains("java.util.Date.<init>()"))
                .noneMatch(line -> line.contains("java.util.Date.<init>(long)"));
    }

    @Test
    void noticesRandomness() {
        assertThat(violations(broken.noRandomness()))
                .allMatch(line -> line.contains("worker.ThrowsDice"))
                .anyMatch(line -> line.contains("java.util.Random.<init>(long)"));
        assertThat(violations(broken.noUnseededRandomness()))
                .allMatch(line -> line.contains(".ThrowsDice"))
                .anyMatch(line -> line.contains("randomUUID"))
                .anyMatch(line -> line.contains("ThreadLocalRandom"))
                .anyMatch(line -> line.contains("java.util.SplittableRandom.<init>()"))
                .noneMatch(line -> line.contains("java.util.Random.<init>(long)"));
    }

    @Test
    void noticesAPackageThatIsNotNullMarked() {
        assertThat(violations(broken.nullMarked()))
                .anyMatch(line -> line.contains("archfixture.worker"))
                .noneMatch(line -> line.contains("archfixture.metrics"));
    }

    @Test
    void noticesACrowdedPackage() {
        assertThat(violations(broken.smallPackages()))
                .anyMatch(line -> line.contains("archfixture.worker"))
                .noneMatch(line -> line.contains("archfixture.metrics"));
    }

    @Test
    void noticesNamesThatTellNothing() {
        assertThat(violations(broken.tellingNames())).singleElement().asString().contains("worker.TaskManager");
        assertThat(violations(broken.tellingPackageNames()))
                .singleElement()
                .asString()
                .contains("util.Text");
    }

    /** The classes that touch a library without leave, as package.Class below the fixture's root. */
    private List<String> misuse(String library) {
        var rule = Architecture.LIBRARIES.stream()
                .filter(candidate -> candidate.name().equals(library))
                .map(broken::usage)
                .findFirst()
                .orElseThrow();
        var lines = violations(rule);
        return FIXTURE.stream()
                .map(type -> type.getName())
                .filter(name -> lines.stream()
                        .anyMatch(line -> line.contains("<" + name + "> ") || line.contains("<" + name + ".")))
                .map(name -> name.substring(broken.root().length() + 1))
                .sorted()
                .toList();
    }

    private static List<String> violations(ArchRule rule) {
        return rule.evaluate(FIXTURE).getFailureReport().getDetails();
    }

    private static Path classesOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException("Cannot find the classes of " + type, e);
        }
    }
}
