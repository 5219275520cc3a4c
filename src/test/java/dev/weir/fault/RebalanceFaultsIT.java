package dev.weir.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.coordinator.CoordinatorSettings.MarkerMode;
import dev.weir.fixture.ForwardingStore;
import dev.weir.fixture.KafkaProxy;
import dev.weir.fixture.KafkaProxy.Way;
import dev.weir.fixture.ProxiedBroker;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.common.protocol.ApiKeys;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks that change hands while their transactions are open, and owners that do not know that they are none any more. */
@Timeout(60)
class RebalanceFaultsIT {

    private static final Duration SOON = Duration.ofSeconds(10);

    private final KafkaProxy proxy = ProxiedBroker.shared().proxy();

    private static Rig rig(Consumer<Setup> change) {
        return Rig.behindProxy(setup -> {
            setup.commitInterval = Duration.ofMillis(100);
            setup.checkpointInterval = Duration.ofMillis(1_000);
            setup.transactionTimeout = Duration.ofSeconds(60);
            setup.slotGrace = Duration.ofSeconds(60);
            change.accept(setup);
        });
    }

    private static Service runningAlone(Rig rig) {
        var service = rig.service("a").run();
        rig.await("its tasks run", () -> service.running().size() == rig.partitions());
        rig.produce(20);
        rig.awaitCaughtUp();
        return service;
    }

    private static List<String> owners(Rig rig) {
        return IntStream.range(0, rig.partitions())
                .mapToObj(partition -> rig.pointer(partition).slot())
                .toList();
    }

    @Test
    @DisplayName("late-commit-after-revoke (F2, F5, I1, I8): a commit that arrives after the next owner's is refused")
    void lateCommitAfterRevoke() throws Exception {
        try (var rig = rig(setup -> {
            // So that the client does not send it again while the partitions are being revoked.
            setup.request = Duration.ofSeconds(8);
            setup.commitDeadline = Duration.ofSeconds(8);
        })) {
            var a = runningAlone(rig);
            var b = rig.service("b").withoutCoordinator();
            try (var fault = proxy.on(ApiKeys.END_TXN).from(a.slot()).times(1).holdRequests()) {
                rig.produce(40);
                fault.awaitHits(1, SOON);
                b.run();
                rig.await(
                        "the tasks are shared",
                        () -> a.running().size() == 1 && b.running().size() == 1);
                rig.produce(40);
                rig.awaitCaughtUp();
                assertThat(owners(rig)).containsExactlyInAnyOrder(a.slot(), b.slot());
                assertThat(a.events().rollBacks.get()).isEqualTo(1);
                var outputs = rig.outputs();
                var late = fault.struck().get(0);
                try (var journal = new Journal(proxy, late.clientId())) {
                    fault.close();
                    rig.await("the late commit is answered", () -> journal.all().stream()
                            .anyMatch(passed -> passed.way() == Way.REPLY
                                    && passed.request().equals(late)));
                }
                assertThat(rig.outputs()).isEqualTo(outputs);
            }
            rig.produce(40);
            rig.finish();
        }
    }

    @Test
    @DisplayName(
            "zombie-empty-epoch (F2, I8, R5): who has lost its membership is fenced even if it has nothing to commit")
    void zombieWithAnEmptyEpoch() throws Exception {
        try (var rig = rig(setup -> {
            setup.markers = MarkerMode.BY_OFFSET;
            setup.commitInterval = null;
            setup.checkpointInterval = Duration.ofMillis(500);
        })) {
            var a = runningAlone(rig);
            var b = rig.service("b").withoutCoordinator();
            try (var journal = new Journal(proxy, a.slot());
                    var fault = proxy.on(ApiKeys.HEARTBEAT, ApiKeys.JOIN_GROUP, ApiKeys.SYNC_GROUP)
                            .from(a.slot())
                            .holdRequests()) {
                b.run();
                rig.await("the new owner has committed all", () -> owners(rig).equals(List.of(b.slot(), b.slot())));
                journal.clear();
                long records = a.events().records.get();
                int commits = a.events().commits.get();
                int rollBacks = a.events().rollBacks.get();
                rig.await(
                        "the former owner tries to commit and goes back",
                        () -> journal.count(Way.REPLY, ApiKeys.TXN_OFFSET_COMMIT) > 0
                                && a.events().rollBacks.get() > rollBacks);
                assertThat(fault.hits()).isPositive();
                assertThat(a.events().records.get()).as("its epoch was empty").isEqualTo(records);
                assertThat(a.events().commits.get()).isEqualTo(commits);
                assertThat(owners(rig)).containsExactly(b.slot(), b.slot());
                assertThat(journal.count(Way.REQUEST, ApiKeys.END_TXN)).isZero();
                rig.produce(20);
                rig.awaitCaughtUp();
                assertThat(a.events().commits.get()).isEqualTo(commits);
            }
            rig.await(
                    "it is a member again",
                    () -> a.running().size() == 1 && b.running().size() == 1);
            rig.produce(20);
            rig.finish();
        }
    }

    @Test
    @DisplayName("commit-during-rebalance (F11, I1): a commit of the generation before is refused and rolled back")
    void commitOfTheGenerationBefore() throws Exception {
        try (var rig = rig(setup -> {})) {
            var a = runningAlone(rig);
            var b = rig.service("b").withoutCoordinator();
            try (var journal = new Journal(proxy, a.slot())) {
                try (var fault =
                        proxy.on(ApiKeys.TXN_OFFSET_COMMIT).from(a.slot()).holdRequests()) {
                    rig.produce(40);
                    fault.awaitHits(1, SOON);
                    journal.clear();
                    b.run();
                    rig.await("the generation has changed", () -> journal.count(Way.REPLY, ApiKeys.SYNC_GROUP) > 0);
                    assertThat(a.events().rollBacks.get()).isZero();
                }
                rig.await("it goes back", () -> a.events().rollBacks.get() > 0);
                rig.await(
                        "the tasks are shared",
                        () -> a.running().size() == 1 && b.running().size() == 1);
                rig.finish();
            }
        }
    }

    @Test
    @DisplayName("commit-during-rebalance (F11, I1): nothing is committed while the rebalance is under way")
    void noCommitWhileTheRebalanceIsUnderWay() throws Exception {
        try (var rig = rig(setup -> {})) {
            var a = runningAlone(rig);
            var b = rig.service("b").withoutCoordinator();
            try (var journal = new Journal(proxy, a.slot())) {
                try (var fault = proxy.on(ApiKeys.JOIN_GROUP).from(a.slot()).holdReplies()) {
                    b.run();
                    fault.awaitHits(1, SOON);
                    long before = a.events().records.get();
                    journal.clear();
                    rig.produce(40);
                    rig.await("records are processed", () -> a.events().records.get() >= before + 40);
                    // Five times the interval after which they would be committed.
                    Awaitility.await()
                            .during(Duration.ofMillis(500))
                            .atMost(SOON)
                            .until(() -> journal.count(Way.REQUEST, ApiKeys.TXN_OFFSET_COMMIT) == 0);
                }
                rig.await(
                        "the tasks are shared",
                        () -> a.running().size() == 1 && b.running().size() == 1);
                assertThat(journal.count(Way.REQUEST, ApiKeys.TXN_OFFSET_COMMIT))
                        .isPositive();
                rig.finish();
                assertThat(a.events().rollBacks.get() + b.events().rollBacks.get())
                        .isZero();
            }
        }
    }

    @Test
    @DisplayName(
            "revoke-deadline-overrun (R35, I1, I11): an epoch that cannot end in time is given up, and holds the next owner up no longer")
    void revokeDeadlineOverrun() throws Exception {
        var store = new Barrier();
        var stuck = new AtomicBoolean();
        try (var rig = rig(setup -> setup.maxPollInterval = Duration.ofSeconds(6))) {
            rig.service("a").withObjects(real -> new ForwardingStore(real) {
                @Override
                public void put(String name, byte[] content) {
                    if (stuck.get() && name.contains("/objects/")) {
                        store.pass();
                    }
                    super.put(name, content);
                }
            });
            var a = runningAlone(rig);
            var b = rig.service("b").withoutCoordinator();
            try (var journal = new Journal(proxy, a.slot())) {
                stuck.set(true);
                rig.produce(40);
                rig.await("its delta does not become durable", store::isReached);
                b.run();
                rig.await("the assignment is there", () -> journal.count(Way.REPLY, ApiKeys.SYNC_GROUP) > 0);
                long revoked = System.nanoTime();
                rig.await("it has let go", () -> journal.count(Way.REQUEST, ApiKeys.JOIN_GROUP) > 1);
                assertThat(Duration.ofNanos(System.nanoTime() - revoked))
                        .as("a third of the poll interval, then it is given up")
                        .isBetween(Duration.ofMillis(1_500), Duration.ofMillis(4_000));
                rig.await("the new owner has committed", () -> owners(rig).contains(b.slot()));
                rig.await("the epoch is rolled back", () -> a.events().rollBacks.get() == 1);
                stuck.set(false);
            } finally {
                store.open();
            }
            rig.await(
                    "the tasks are shared",
                    () -> a.running().size() == 1 && b.running().size() == 1);
            rig.finish();
        }
    }

    @Test
    @DisplayName(
            "revoke-in-alignment (I5, I11): a task leaves while it is held at a marker; a later checkpoint is complete and right")
    void revokeInAlignment() throws Exception {
        try (var rig = rig(setup -> {
            setup.alignmentTimeout = Duration.ofSeconds(8);
            setup.checkpointTimeout = Duration.ofSeconds(12);
        })) {
            var a = runningAlone(rig);
            var b = rig.service("b").withoutCoordinator();
            long checkpoint;
            try (var foreign = rig.openTransaction(1)) {
                assertThat(foreign).isNotNull();
                rig.await(
                        "it waits at the marker of one partition",
                        () -> a.status().get(0).aligning() != 0);
                checkpoint = a.status().get(0).aligning();
                rig.await(
                        "the marker is there",
                        () -> rig.domainState().open().containsKey(checkpoint)
                                && rig.domainState().open().get(checkpoint).markers() != null);
                long before = a.events().records.get();
                rig.produce(0, 20);
                Awaitility.await()
                        .during(Duration.ofMillis(300))
                        .atMost(SOON)
                        .until(() -> a.events().records.get() == before);
                assertThat(rig.checkpoints()).doesNotContainKey(checkpoint);
                b.run();
                rig.await(
                        "the tasks are shared",
                        () -> a.running().size() == 1 && b.running().size() == 1);
                rig.await(
                        "what was held goes on",
                        () -> a.events().records.get() + b.events().records.get() > before);
            }
            rig.produce(40);
            rig.finish();
            var decided = rig.checkpoint(checkpoint);
            if (decided.outcome() == Outcome.COMPLETE) {
                rig.checkStates(decided);
            }
        }
    }
}
