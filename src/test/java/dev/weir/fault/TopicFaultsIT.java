package dev.weir.fault;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.status.TaskStatus;
import dev.weir.worker.WorkerSettings.Departure;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What others do to topics, positions and groups. */
class TopicFaultsIT {

    private static TopicPartition partition(Rig rig, int number) {
        return new TopicPartition(rig.input(), number);
    }

    /** What stands in the way of a partition's task, or "" if nothing does. */
    private static String detail(Service service, int partition) {
        var task = service.task(partition);
        return task == null || task.phase() != TaskStatus.Phase.STOPPED || task.detail() == null ? "" : task.detail();
    }

    @Test
    @DisplayName(
            "offsets-reset-by-tool (R7, R19, I8): the task stops with a sentence, the others go on, nothing is lost")
    void offsetsResetByTool() throws Exception {
        try (var rig = Rig.create(setup -> {
            setup.partitions = 4;
            setup.departure = Departure.LEAVE_GROUP;
        })) {
            var a = rig.service("a").run();
            rig.produce(100);
            rig.finish();
            a.stop();
            var before =
                    Rig.get(rig.admin().listConsumerGroupOffsets(rig.group()).partitionsToOffsetAndMetadata());
            var outputs = rig.outputs();

            // 0: set to the beginning, as the tool does it; 1: deleted; 2: moved, its pointer kept.
            var moved = requireNonNull(before.get(partition(rig, 2)));
            Rig.get(rig.admin()
                    .alterConsumerGroupOffsets(
                            rig.group(),
                            Map.of(
                                    partition(rig, 0),
                                    new OffsetAndMetadata(0),
                                    partition(rig, 2),
                                    new OffsetAndMetadata(moved.offset() - 1, moved.metadata())))
                    .all());
            Rig.get(rig.admin()
                    .deleteConsumerGroupOffsets(rig.group(), Set.of(partition(rig, 1)))
                    .all());
            assertThat(rig.committed()).doesNotContainKey(1);
            a.run();
            rig.await(
                    "three tasks stop, the fourth runs",
                    () -> a.running().equals(List.of(3))
                            && !detail(a, 0).isEmpty()
                            && !detail(a, 1).isEmpty()
                            && !detail(a, 2).isEmpty());
            assertThat(detail(a, 0)).contains("without a pointer to its state");
            assertThat(detail(a, 1)).contains("knows the task", "has no committed position");
            assertThat(detail(a, 2)).contains("is not the one that its state belongs to");
            rig.produce(100);
            rig.await(
                    "the fourth goes on",
                    () -> rig.positions().getOrDefault(3, 0L) >= rig.sequence().end(3));
            a.stop();
            assertThat(ofPartitions(rig, Set.of(0, 1, 2)))
                    .as("nothing of the stopped tasks has come out")
                    .isEqualTo(outputs.stream()
                            .flatMap(List::stream)
                            .filter(total -> total.partition() != 3)
                            .toList());

            var back = new HashMap<>(before);
            back.remove(partition(rig, 3));
            Rig.get(rig.admin().alterConsumerGroupOffsets(rig.group(), back).all());
            a.run();
            rig.finish();
        }
    }

    private static List<Sequence.Total> ofPartitions(Rig rig, Set<Integer> partitions) {
        return rig.outputs().stream()
                .flatMap(List::stream)
                .filter(total -> partitions.contains(total.partition()))
                .toList();
    }

    @Test
    @DisplayName("topic-recreated (R6): a topic of the same name and another id is refused with a sentence")
    void topicRecreated() throws Exception {
        try (var rig = Rig.create(setup -> setup.departure = Departure.LEAVE_GROUP)) {
            var a = rig.service("a").run();
            rig.produce(60);
            rig.finish();
            var outputs = rig.outputs();
            a.stop();
            rig.recreateInput();
            rig.produce(400);
            a.run();
            rig.await(
                    "both tasks stop",
                    () -> detail(a, 0).contains("was deleted and created again")
                            && detail(a, 1).contains("was deleted and created again"));
            assertThat(detail(a, 0)).contains(rig.input(), "give the processor a new name");
            assertThat(rig.outputs()).isEqualTo(outputs);
        }
    }

    @Test
    @DisplayName("topic-recreated while it is read (R6): nothing of the new topic is taken for the old one's")
    void topicRecreatedWhileRead() throws Exception {
        try (var rig = Rig.create()) {
            var a = rig.service("a").run();
            rig.produce(60);
            rig.finish();
            var outputs = rig.outputs();
            // Held, so that it does not see the topic gone, nor one that is shorter than it has read.
            a.hold(Service.Part.WORKERS);
            rig.recreateInput();
            rig.produce(400);
            a.release(Service.Part.WORKERS);
            rig.await(
                    "no task runs any more",
                    () -> a.workers().stream().allMatch(thread -> thread.isDone())
                            || (!detail(a, 0).isEmpty() && !detail(a, 1).isEmpty()));
            assertThat(rig.outputs()).isEqualTo(outputs);
        }
    }

    @Test
    @DisplayName("partition-added (R9): all tasks of the processor stop with one sentence, running or restarted")
    void partitionAdded() throws Exception {
        try (var rig = Rig.create()) {
            var a = rig.service("a").run();
            rig.produce(60);
            rig.finish();
            Rig.get(rig.admin()
                    .createPartitions(Map.of(rig.input(), NewPartitions.increaseTo(4)))
                    .all());
            rig.await("the tasks stop", () -> stopped(a).containsAll(Set.of(0, 1, 2, 3)));
            assertThat(details(a))
                    .singleElement()
                    .asString()
                    .contains(rig.input() + " has 4 partitions", "was built with 2", "give the processor a new name");
            a.kill();
            rig.expelMembers(rig.group());
            var b = rig.service("b").run();
            rig.await("the tasks stop elsewhere too", () -> stopped(b).containsAll(Set.of(0, 1, 2, 3)));
            assertThat(details(b))
                    .isEqualTo(Set.of("Cannot run processor totals: its input " + rig.input()
                            + " has 4 partitions, and its keyed state was"
                            + " built with 2; keys are in other partitions now: copy the topic into one with 2"
                            + " partitions, or give the processor a new name to build its state anew"));
        }
    }

    private static Set<Integer> stopped(Service service) {
        var stopped = new HashSet<Integer>();
        service.tasks().stream()
                .filter(task -> task.phase() == TaskStatus.Phase.STOPPED)
                .forEach(task -> stopped.add(task.partition()));
        return stopped;
    }

    private static Set<String> details(Service service) {
        var details = new HashSet<String>();
        service.tasks().forEach(task -> details.add(String.valueOf(task.detail())));
        return details;
    }

    @Test
    @DisplayName("eager-assignor-refused: an eager assignor is never used, and a member that brings one is refused")
    void eagerAssignorRefused() throws Exception {
        var strategy = "partition.assignment.strategy";
        try (var rig = Rig.create()) {
            var a = rig.service("a");
            a.setup().clients.put(strategy, RangeAssignor.class.getName());
            assertThat(a.setup()
                            .cluster(rig.domain(), rig.broker().bootstrapServers())
                            .conflicts())
                    .singleElement()
                    .asString()
                    .contains(strategy + "=" + RangeAssignor.class.getName(), "CoPartitionedAssignor", "remove it");
            a.run();
            rig.produce(40);
            rig.finish();
            var group = requireNonNull(Rig.get(rig.admin()
                            .describeConsumerGroups(List.of(rig.group()))
                            .all())
                    .get(rig.group()));
            assertThat(group.partitionAssignor()).isNotBlank().isNotEqualTo(new RangeAssignor().name());

            try (var stranger = new KafkaConsumer<>(
                    Map.of(
                            "bootstrap.servers",
                            rig.broker().bootstrapServers(),
                            "group.id",
                            rig.group(),
                            "group.protocol",
                            "classic",
                            strategy,
                            RangeAssignor.class.getName()),
                    new ByteArrayDeserializer(),
                    new ByteArrayDeserializer())) {
                stranger.subscribe(List.of(rig.input()));
                assertThatThrownBy(() -> {
                            for (int i = 0; i < 50; i++) {
                                stranger.poll(Duration.ofMillis(100));
                            }
                        })
                        .isInstanceOf(InconsistentGroupProtocolException.class);
            }
            rig.produce(40);
            rig.finish();
        }
    }

    @Test
    @DisplayName("idle-worker (R10, F1): a worker without tasks holds nothing up, and takes over when it is needed")
    void idleWorker() throws Exception {
        try (var rig = Rig.create(setup -> setup.partitions = 1)) {
            var all = List.of(rig.service("a"), rig.service("b"), rig.service("c"));
            all.forEach(service -> service.setup().concurrency = 2);
            all.forEach(Service::run);
            rig.startTrickle(2, Duration.ofMillis(20));
            rig.await(
                    "one works",
                    () -> all.stream()
                                    .filter(service -> service.running().size() == 1)
                                    .count()
                            == 1);
            rig.await(
                    "all are members",
                    () -> rig.cluster().memberInstances(rig.group()).size() == 6);
            rig.awaitNextCheckpoint();
            rig.awaitNextCheckpoint();
            var idle = all.stream().filter(service -> service.tasks().isEmpty()).toList();
            assertThat(idle).hasSize(2);
            assertThat(rig.domainState().tasks()).hasSize(1);

            var dying = idle.stream()
                    .filter(service -> !service.leads())
                    .findFirst()
                    .orElseThrow();
            dying.kill();
            long begun = System.nanoTime();
            rig.awaitNextCheckpoint();
            rig.awaitNextCheckpoint();
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("two checkpoints do not wait for the dead idle one's session")
                    .isLessThan(Duration.ofSeconds(8));

            var owner = all.stream()
                    .filter(service -> service.isAlive() && service.running().size() == 1)
                    .findFirst()
                    .orElseThrow();
            owner.kill();
            rig.expelMembers(rig.electionGroup());
            rig.await("another one works", () -> all.stream()
                    .anyMatch(service -> service.isAlive() && service.running().size() == 1));
            rig.finish();
        }
    }
}
