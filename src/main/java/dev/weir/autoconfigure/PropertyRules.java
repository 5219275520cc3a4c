package dev.weir.autoconfigure;

import dev.weir.autoconfigure.WeirProperties.Commit;
import dev.weir.autoconfigure.WeirProperties.Processing.OnError;
import dev.weir.autoconfigure.WeirProperties.Store;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Which values of properties are possible, each and together. */
final class PropertyRules {

    private static final Pattern DOMAIN = Pattern.compile("[A-Za-z0-9._-]{1,60}");
    private static final Pattern INSTANCE = Pattern.compile("[A-Za-z0-9_-]{1,100}");

    private final List<String> violations = new ArrayList<>();
    private final WeirProperties properties;

    private PropertyRules(WeirProperties properties) {
        this.properties = properties;
    }

    /** Everything that is wrong, one sentence each. */
    static List<String> violations(WeirProperties properties, @Nullable String applicationName) {
        var rules = new PropertyRules(properties);
        rules.names(applicationName);
        rules.times();
        rules.sizes();
        rules.choices();
        rules.store();
        return rules.violations;
    }

    /** The domain's name: as set, or the application's. */
    static String domain(WeirProperties properties, @Nullable String applicationName) {
        return properties.domain() != null ? properties.domain() : Objects.requireNonNullElse(applicationName, "");
    }

    private void names(@Nullable String applicationName) {
        String domain = domain(properties, applicationName);
        if (domain.isEmpty()) {
            add("weir.domain is not set and neither is spring.application.name; set one of them");
        } else if (!DOMAIN.matcher(domain).matches()) {
            add(
                    (properties.domain() == null ? "spring.application.name" : "weir.domain") + " is '" + domain
                            + "', and a domain's name has 1 to 60 letters, digits, '.', '-' and '_'; set weir.domain to such a name");
        }
        String instance = properties.instanceId();
        if (instance != null && !INSTANCE.matcher(instance).matches()) {
            add("weir.instance-id is '" + instance
                    + "', and an instance's name has 1 to 100 letters, digits, '-' and '_'; correct it");
        }
        String start = properties.startFrom();
        if (!start.equals("earliest") && !start.equals("latest") && !isInstant(start)) {
            add("weir.start-from is '" + start
                    + "'; set it to earliest, latest or a time such as 2026-01-31T00:00:00Z");
        }
    }

    private void times() {
        positive("weir.checkpoint.interval", properties.checkpoint().interval());
        positive("weir.checkpoint.timeout", properties.checkpoint().timeout());
        positive("weir.alignment.timeout", properties.alignment().timeout());
        positive("weir.transaction.timeout", properties.transaction().timeout());
        positive("weir.preflight.timeout", properties.preflight().timeout());
        Duration commitInterval = properties.commit().interval();
        if (commitInterval != null) {
            positive("weir.commit.interval", commitInterval);
        }
        Duration third = properties.transaction().timeout().dividedBy(3);
        if (properties.alignment().timeout().compareTo(third) > 0) {
            add("weir.alignment.timeout is " + text(properties.alignment().timeout())
                    + ", more than a third of weir.transaction.timeout (" + text(third)
                    + "), after which an epoch must end; lower the first or raise the second");
        }
        if (properties.checkpoint().timeout().compareTo(properties.alignment().timeout()) <= 0) {
            add("weir.checkpoint.timeout is " + text(properties.checkpoint().timeout())
                    + ", not more than weir.alignment.timeout ("
                    + text(properties.alignment().timeout())
                    + "), so that late checkpoints could never complete; raise the first");
        }
    }

    private void sizes() {
        atLeast("weir.concurrency", properties.concurrency(), 1);
        atLeast("weir.limits.records-per-step", properties.limits().recordsPerStep(), 1);
        atLeast("weir.base.max-deltas", properties.base().maxDeltas(), 1);
        atLeast("weir.limits.overlay-bytes", properties.limits().overlayBytes(), DataSize.ofMegabytes(1));
        atLeast("weir.state.block-cache", properties.state().blockCache(), DataSize.ofMegabytes(8));
        atLeast("weir.state.write-buffers", properties.state().writeBuffers(), DataSize.ofMegabytes(1));
        DataSize cache = properties.state().cache();
        if (cache != null) {
            atLeast("weir.state.cache", cache, DataSize.ofBytes(0));
        }
        if (properties.state().writeBuffers().toBytes()
                > properties.state().blockCache().toBytes() / 2) {
            add("weir.state.write-buffers is " + properties.state().writeBuffers()
                    + ", more than half of weir.state.block-cache ("
                    + properties.state().blockCache()
                    + "), which they are part of; lower the first or raise the second");
        }
        atLeast("weir.base.min-bytes", properties.base().minBytes(), DataSize.ofBytes(0));
        if (!(properties.base().share() > 0)) {
            add("weir.base.share is " + properties.base().share() + "; set it to more than 0");
        }
        Integer partitions = properties.topics().partitions();
        if (partitions != null) {
            atLeast("weir.topics.partitions", partitions, 1);
        }
        Short replication = properties.topics().replication();
        if (replication != null) {
            atLeast("weir.topics.replication", replication, 1);
        }
    }

    private void choices() {
        if (properties.commit().mode() == Commit.Mode.CONTINUOUS) {
            add("weir.commit.mode is continuous, which this version does not have; set it to checkpoint and"
                    + " weir.commit.interval to commit more often");
        }
        String deadLetters = properties.processing().deadLetterTopic();
        boolean toDeadLetters = properties.processing().onError() == OnError.DEAD_LETTER;
        if (toDeadLetters && (deadLetters == null || deadLetters.isBlank())) {
            add("weir.processing.on-error is dead-letter, but weir.processing.dead-letter-topic is not set; set it");
        }
        if (!toDeadLetters && deadLetters != null) {
            add("weir.processing.dead-letter-topic is '" + deadLetters
                    + "', but weir.processing.on-error is stop; set that to dead-letter or remove the topic");
        }
    }

    private void store() {
        Store store = properties.store();
        if (store.type() == null) {
            add(
                    "weir.store.type is not set; set it to s3, to file for one machine or a shared file system, or to memory for tests");
        } else if (store.type() == Store.Type.FILE && store.path() == null) {
            add("weir.store.type is file, but weir.store.path is not set; set it to a folder");
        } else if (store.type() == Store.Type.S3 && store.s3().bucket() == null) {
            add("weir.store.type is s3, but weir.store.s3.bucket is not set; set it to the name of a bucket");
        }
        if (store.type() != null && store.type() != Store.Type.FILE && store.path() != null) {
            add("weir.store.path is set, but weir.store.type is "
                    + store.type().name().toLowerCase(Locale.ROOT) + "; remove the path or set the type to file");
        }
        if (store.type() != null && store.type() != Store.Type.S3 && store.s3().bucket() != null) {
            add("weir.store.s3.bucket is set, but weir.store.type is "
                    + store.type().name().toLowerCase(Locale.ROOT) + "; remove the bucket or set the type to s3");
        }
    }

    private static boolean isInstant(String text) {
        try {
            return Instant.parse(text).toEpochMilli() >= 0;
        } catch (DateTimeParseException | ArithmeticException e) {
            return false;
        }
    }

    private void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            add(name + " is " + text(value) + "; set it to more than zero");
        }
    }

    private void atLeast(String name, int value, int least) {
        if (value < least) {
            add(name + " is " + value + "; set it to " + least + " or more");
        }
    }

    private void atLeast(String name, DataSize value, DataSize least) {
        if (value.compareTo(least) < 0) {
            add(name + " is " + value + "; set it to " + least + " or more");
        }
    }

    private static String text(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }

    private void add(String violation) {
        violations.add("Cannot use the configuration: " + violation);
    }
}
