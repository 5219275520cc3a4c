package dev.weir.kafka;

import dev.weir.failure.TransientException;
import dev.weir.kafka.KafkaCluster.CleanupPolicy;
import dev.weir.kafka.KafkaCluster.TopicDescription;
import dev.weir.time.Clock;
import dev.weir.time.Pause;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Asks about topics and brokers. */
final class ClientTopicAdmin implements TopicAdmin {

    private final Admin admin;
    private volatile @Nullable String clusterId;

    ClientTopicAdmin(Admin admin) {
        this.admin = admin;
    }

    @Override
    public String clusterId() {
        var known = clusterId;
        if (known == null) {
            known = ask("find the cluster's id", admin.describeCluster().clusterId());
            clusterId = known;
        }
        return known;
    }

    @Override
    public boolean createTopic(String topic, int partitions, short replication, Map<String, String> configs) {
        var wanted = new NewTopic(
                topic, Optional.of(partitions), replication < 0 ? Optional.empty() : Optional.of(replication));
        try {
            admin.createTopics(List.of(wanted.configs(configs))).all().get();
            return true;
        } catch (InterruptedException | ExecutionException | RuntimeException e) {
            if (ClientErrors.unwrap(e) instanceof TopicExistsException) {
                return false;
            }
            throw ClientErrors.of("create the topic " + topic, e);
        }
    }

    /** Waits until all brokers that are asked know a topic that was just created. */
    void awaitTopic(String topic, Clock clock, Pause pause, Duration atMost) {
        long deadline = clock.nanos() + atMost.toNanos();
        while (describe(List.of(topic)).isEmpty()) {
            if (clock.nanos() - deadline >= 0) {
                throw new TransientException(
                        "Cannot use the topic " + topic + ": it was created but is not known to the" + " brokers after "
                                + atMost + "; it can be tried again");
            }
            pause.await(Duration.ofMillis(20));
        }
    }

    Map<String, TopicDescription> describe(Collection<String> names) {
        var described = new HashMap<String, org.apache.kafka.clients.admin.TopicDescription>();
        admin.describeTopics(Set.copyOf(names)).topicNameValues().forEach((name, answer) -> {
            try {
                described.put(name, answer.get());
            } catch (InterruptedException | ExecutionException | RuntimeException e) {
                if (!(ClientErrors.unwrap(e) instanceof UnknownTopicOrPartitionException)) {
                    throw ClientErrors.of("describe the topic " + name, e);
                }
            }
        });
        var configs = configs(ConfigResource.Type.TOPIC, described.keySet());
        var all = new HashMap<String, TopicDescription>();
        described.forEach((name, topic) -> {
            var config = configs.get(name);
            if (config != null) {
                all.put(
                        name,
                        new TopicDescription(
                                name, topic.partitions().size(), topic.topicId().toString(), cleanup(config)));
            }
        });
        return Map.copyOf(all);
    }

    /** The settings of topics or brokers by name; those that have gone meanwhile are left out. */
    private Map<String, Config> configs(ConfigResource.Type type, Collection<String> names) {
        var resources =
                names.stream().map(name -> new ConfigResource(type, name)).toList();
        var configs = new HashMap<String, Config>();
        admin.describeConfigs(resources).values().forEach((resource, answer) -> {
            try {
                configs.put(resource.name(), answer.get());
            } catch (InterruptedException | ExecutionException | RuntimeException e) {
                if (!(ClientErrors.unwrap(e) instanceof UnknownTopicOrPartitionException)) {
                    throw ClientErrors.of("read the settings of " + resource.name(), e);
                }
            }
        });
        return configs;
    }

    private static Set<CleanupPolicy> cleanup(Config config) {
        var policies = EnumSet.noneOf(CleanupPolicy.class);
        var entry = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
        var value = entry == null || entry.value() == null ? "" : entry.value().toLowerCase(Locale.ROOT);
        Arrays.stream(value.split(",")).map(String::trim).forEach(policy -> {
            if (policy.equals("delete")) {
                policies.add(CleanupPolicy.DELETE);
            } else if (policy.equals("compact")) {
                policies.add(CleanupPolicy.COMPACT);
            }
        });
        return Set.copyOf(policies);
    }

    @Override
    public BrokerSettings brokerSettings() {
        var nodes = ask("list the brokers", admin.describeCluster().nodes());
        var one = nodes.iterator().next().idString();
        var config = configs(ConfigResource.Type.BROKER, List.of(one)).get(one);
        if (config == null) {
            throw new TransientException(
                    "Cannot read the settings of broker " + one + ": it has gone; it can be tried again");
        }
        var features =
                ask("read the brokers' features", admin.describeFeatures().featureMetadata());
        var transactions = features.finalizedFeatures().get("transaction.version");
        return new BrokerSettings(
                number(config, "transaction.max.timeout.ms", 900_000),
                number(config, "group.min.session.timeout.ms", 6_000),
                number(config, "group.max.session.timeout.ms", 1_800_000),
                transactions == null ? 0 : transactions.maxVersionLevel());
    }

    private static long number(Config config, String name, long otherwise) {
        var entry = config.get(name);
        return entry == null || entry.value() == null ? otherwise : Long.parseLong(entry.value());
    }

    @Override
    public Permission writePermission(String topic) {
        var options = new DescribeTopicsOptions().includeAuthorizedOperations(true);
        var described = ask(
                "describe the topic " + topic,
                admin.describeTopics(List.of(topic), options).allTopicNames());
        var description = described.get(topic);
        var operations = description == null ? null : description.authorizedOperations();
        if (operations == null || operations.isEmpty()) {
            return Permission.UNKNOWN;
        }
        return operations.contains(AclOperation.WRITE) || operations.contains(AclOperation.ALL)
                ? Permission.GRANTED
                : Permission.DENIED;
    }

    static <T> T ask(String doing, KafkaFuture<T> answer) {
        try {
            return answer.get();
        } catch (InterruptedException | ExecutionException | RuntimeException e) {
            throw ClientErrors.of(doing, e);
        }
    }
}
