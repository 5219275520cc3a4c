package dev.weir.autoconfigure.preflight;

import dev.weir.autoconfigure.preflight.Finding.Severity;
import dev.weir.failure.ConfigurationException;
import dev.weir.snapshot.InMemoryObjectStore;
import dev.weir.snapshot.ObjectStore;
import dev.weir.time.Clock;
import dev.weir.time.Pause;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at everything that the processors will need, and stops the start with one report if something is missing. */
public final class Preflight {

    private static final Logger log = LoggerFactory.getLogger(Preflight.class);

    private final Map<String, Object> adminProperties;
    private final Duration timeout;

    /**
     * @param adminProperties for an admin client
     * @param timeout how long the brokers, and a store that is away, may take for an answer
     */
    public Preflight(Map<String, Object> adminProperties, Duration timeout) {
        this.adminProperties = new HashMap<>(adminProperties);
        this.adminProperties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) timeout.toMillis());
        this.adminProperties.computeIfPresent(
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                (key, millis) -> Math.min(Integer.parseInt(millis.toString()), (int) timeout.toMillis()));
        this.adminProperties.putIfAbsent(
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) Math.min(timeout.toMillis(), 30_000));
        this.timeout = timeout;
    }

    /**
     * Gathers, judges, logs the warnings.
     *
     * @throws ConfigurationException with all errors if there are any
     */
    public void check(Requirements wanted, ObjectStore store, Path stateDirectory) {
        List<Finding> findings = PreflightRules.judge(wanted, gather(wanted, store, stateDirectory));
        findings.stream()
                .filter(finding -> finding.severity() == Severity.WARNING)
                .forEach(finding -> log.atWarn()
                        .addKeyValue("subject", finding.subject())
                        .addKeyValue("value", finding.value())
                        .addKeyValue("rule", finding.rule())
                        .addKeyValue("remedy", finding.remedy())
                        .log("Start-up check"));
        List<Finding> errors = findings.stream()
                .filter(finding -> finding.severity() == Severity.ERROR)
                .toList();
        if (!errors.isEmpty()) {
            throw new ConfigurationException(report(errors));
        }
    }

    static String report(List<Finding> errors) {
        return errors.stream().map(error -> "Cannot start: " + error.sentence()).collect(Collectors.joining("\n"));
    }

    private Facts gather(Requirements wanted, ObjectStore store, Path stateDirectory) {
        Facts.Kafka kafka = null;
        String kafkaFailure = null;
        try (Admin admin = Admin.create(adminProperties)) {
            kafka = new ClusterFacts(admin, timeout).gather(adminProperties, wanted.topics());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            kafkaFailure = "interrupted";
        } catch (Exception e) {
            kafkaFailure = e.getCause() == null
                    ? e.toString()
                    : e + ": " + e.getCause().getMessage();
        }
        String storeFailure = new PatientProbe(Clock.system(), Pause.real(), timeout).failure(store);
        return new Facts(
                kafka,
                kafkaFailure,
                store.describe(),
                storeFailure,
                store instanceof InMemoryObjectStore,
                DiskFacts.gather(stateDirectory, libraryFolder()));
    }

    private static Path libraryFolder() {
        String configured = System.getenv("ROCKSDB_SHAREDLIB_DIR");
        return Path.of(configured != null ? configured : System.getProperty("java.io.tmpdir"));
    }
}
