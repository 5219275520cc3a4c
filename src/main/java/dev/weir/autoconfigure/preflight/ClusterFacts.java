package dev.weir.autoconfigure.preflight;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Asks a cluster for what the rules judge. */
final class ClusterFacts {

    private final Admin admin;
    private final Duration timeout;

    ClusterFacts(Admin admin, Duration timeout) {
        this.admin = admin;
        this.timeout = timeout;
    }

    /** What is known of the cluster; throws what says why it cannot be asked. */
    Facts.Kafka gather(Map<String, Object> properties, Set<String> topics) throws Exception {
        var brokers = await(admin.describeCluster().nodes());
        var features = await(admin.describeFeatures().featureMetadata()).finalizedFeatures();
        var transactions = features.get("transaction.version");
        String broker = String.valueOf(brokers.iterator().next().id());
        Config limits = configuration(new ConfigResource(ConfigResource.Type.BROKER, broker));
        Set<String> unauthorized = new HashSet<>();
        return new Facts.Kafka(
                shown(properties.get(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG)),
                transactions == null ? 0 : transactions.maxVersionLevel(),
                value(limits, "transaction.max.timeout.ms", Long::valueOf),
                value(limits, "group.min.session.timeout.ms", Long::valueOf),
                value(limits, "group.max.session.timeout.ms", Long::valueOf),
                topics(topics, unauthorized),
                unauthorized);
    }

    private static String shown(@Nullable Object servers) {
        return servers instanceof Collection<?> list
                ? String.join(",", list.stream().map(String::valueOf).toList())
                : String.valueOf(servers);
    }

    private Map<String, Facts.Topic> topics(Set<String> names, Set<String> unauthorized) throws Exception {
        var futures = admin.describeTopics(names, new DescribeTopicsOptions().includeAuthorizedOperations(true))
                .topicNameValues();
        Map<String, Facts.Topic> topics = new HashMap<>();
        for (var entry : futures.entrySet()) {
            try {
                topics.put(entry.getKey(), topic(await(entry.getValue())));
            } catch (UnknownTopicOrPartitionException e) {
                // Absent: left out, which is how the rules know.
            } catch (TopicAuthorizationException e) {
                unauthorized.add(entry.getKey());
            }
        }
        return topics;
    }

    private Facts.Topic topic(TopicDescription description) throws Exception {
        Config settings = configuration(new ConfigResource(ConfigResource.Type.TOPIC, description.name()));
        String cleanup = value(settings, "cleanup.policy", Function.identity());
        Set<AclOperation> allowed = description.authorizedOperations();
        return new Facts.Topic(
                description.partitions().size(),
                cleanup != null && cleanup.contains("compact"),
                value(settings, "retention.ms", Long::valueOf),
                value(settings, "max.message.bytes", Integer::valueOf),
                allowed == null ? null : allowed.contains(AclOperation.READ),
                allowed == null ? null : allowed.contains(AclOperation.WRITE));
    }

    /** Null if it may not be read: then its rules are left out. */
    private @Nullable Config configuration(ConfigResource resource) throws Exception {
        try {
            return await(admin.describeConfigs(List.of(resource)).values().get(resource));
        } catch (AuthorizationException e) {
            return null;
        }
    }

    private static <T> @Nullable T value(@Nullable Config config, String name, Function<String, T> parse) {
        if (config == null) {
            return null;
        }
        var entry = config.get(name);
        return entry == null || entry.value() == null ? null : parse.apply(entry.value());
    }

    private <T> T await(@Nullable KafkaFuture<T> future) throws Exception {
        if (future == null) {
            throw new IllegalStateException("Cannot ask the cluster: the client has no answer to wait for");
        }
        try {
            return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } catch (TimeoutException e) {
            throw new TimeoutException("no answer within " + timeout.toSeconds() + "s");
        }
    }
}
