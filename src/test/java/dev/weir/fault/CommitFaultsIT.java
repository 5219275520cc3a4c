package dev.weir.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fault.Service.Part;
import dev.weir.fixture.KafkaProxy;
import dev.weir.fixture.KafkaProxy.Passed;
import dev.weir.fixture.KafkaProxy.Way;
import dev.weir.fixture.ProxiedBroker;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the network and the broker's clock can do to a transaction. */
@Timeout(60)
class CommitFaultsIT {

    private static final Duration SOON = Duration.ofSeconds(10);

    private final KafkaProxy proxy = ProxiedBroker.shared().proxy();

    /** One partition, so that all outputs of a key come from one sequence; transactions that no timeout ends. */
    private static Rig rig() {
        return Rig.behindProxy(setup -> {
            setup.partitions = 1;
            setup.outputPartitions = 1;
            setup.commitInterval = Duration.ofMillis(100);
            setup.checkpointInterval = Duration.ofMillis(1_500);
            setup.transactionTimeout = Duration.ofSeconds(60);
            setup.commitDeadline = Duration.ofMillis(1_500);
            setup.request = Duration.ofSeconds(1);
        });
    }

    private static Service running(Rig rig) {
        var service = rig.service("a").run();
        rig.await("its tasks run", () -> service.running().size() == rig.partitions());
        rig.produce(20);
        rig.awaitCaughtUp();
        return service;
    }

    private static boolean onlyRunningEpochs(Service service) {
        return service.status().stream().allMatch(thread -> thread.openEpochs() <= 1);
    }

    /** Processes so many items in one epoch: without the coordinator no marker ends it. */
    private static void processInOneEpoch(Rig rig, Service service, int items) {
        long before = service.events().records.get();
        service.hold(Part.COORDINATOR);
        rig.produce(items);
        rig.await("records are processed", () -> service.events().records.get() >= before + items);
        service.release(Part.COORDINATOR);
    }

    @Test
    @DisplayName("send-before-flush (I3): nothing of an epoch is sent before all of the one before is acknowledged")
    void sendBeforeFlush() throws Exception {
        try (var rig = rig()) {
            var a = running(rig);
            try (var journal = new Journal(proxy, a.slot())) {
                try (var fault =
                        proxy.on(ApiKeys.PRODUCE).from(a.slot()).times(1).holdRequests()) {
                    rig.produce(30);
                    fault.awaitHits(1, SOON);
                    journal.clear();
                    rig.await("records of the next epoch are processed", () -> {
                        rig.produce(1);
                        return a.status().get(0).openEpochs() == 2;
                    });
                    // Five times the interval after which the next epoch would be sent and committed.
                    Awaitility.await()
                            .during(Duration.ofMillis(500))
                            .atMost(SOON)
                            .until(() -> journal.count(Way.REQUEST, ApiKeys.PRODUCE) == 0);
                    assertThat(fault.hits()).isEqualTo(1);
                }
                rig.startTrickle(20, Duration.ofMillis(5));
                rig.await(
                        "epochs of both producers",
                        () -> producers(journal.of(Way.REQUEST, ApiKeys.PRODUCE))
                                                .size()
                                        == 2
                                && journal.count(Way.REQUEST, ApiKeys.PRODUCE) > 20);
                rig.finish();
                assertThat(mixed(journal.all())).isEmpty();
                assertThat(a.events().rollBacks.get()).isZero();
            }
        }
    }

    private static Set<String> producers(List<Passed> passed) {
        var ids = new HashSet<String>();
        passed.forEach(each -> ids.add(each.request().clientId()));
        return ids;
    }

    /** Requests of a producer that went out while one of another producer was not answered. */
    private static List<Passed> mixed(List<Passed> passed) {
        Map<String, Set<Integer>> unanswered = new HashMap<>();
        return passed.stream()
                .filter(each -> each.request().api() == ApiKeys.PRODUCE)
                .filter(each -> {
                    var request = each.request();
                    var own = unanswered.computeIfAbsent(request.clientId(), id -> new HashSet<>());
                    if (each.way() == Way.REPLY) {
                        own.remove(request.correlation());
                        return false;
                    }
                    own.add(request.correlation());
                    return unanswered.entrySet().stream()
                            .anyMatch(other -> !other.getKey().equals(request.clientId())
                                    && !other.getValue().isEmpty());
                })
                .toList();
    }

    @Test
    @DisplayName(
            "commit-timeout-committed (F5, I1, I9): the broker has committed, its answer is lost; nothing is replayed")
    void commitTimeoutCommitted() throws Exception {
        try (var rig = rig()) {
            var a = running(rig);
            long before = a.events().records.get();
            int commits = a.events().commits.get();
            try (var fault = proxy.on(ApiKeys.END_TXN).from(a.slot()).swallowReplies()) {
                processInOneEpoch(rig, a, 30);
                fault.awaitHits(1, SOON);
                rig.await("it finds out", () -> a.events().rollBacks.get() == 1);
                assertThat(a.events().commits.get())
                        .as("commits that were answered")
                        .isEqualTo(commits);
            }
            rig.awaitCaughtUp();
            assertThat(a.events().records.get()).isEqualTo(before + 30);
            rig.produce(30);
            rig.finish();
            assertThat(a.events().records.get()).isEqualTo(before + 60);
            assertThat(a.events().rollBacks.get()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName(
            "commit-timeout-aborted (F5, R3, I1, I2): the broker never saw the commit; all is rolled back and replayed once")
    void commitTimeoutAborted() throws Exception {
        try (var rig = rig()) {
            var a = running(rig);
            long before = a.events().records.get();
            try (var fault = proxy.on(ApiKeys.END_TXN).from(a.slot()).loseRequests()) {
                processInOneEpoch(rig, a, 30);
                fault.awaitHits(2, SOON);
                rig.await(
                        "it gives the transaction up",
                        () -> a.events().rollBacks.get() == 1);
            }
            rig.finish();
            assertThat(a.events().records.get()).isEqualTo(before + 60);
            assertThat(a.events().rollBacks.get()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("txn-timeout-then-commit (R2, F2, I1): the broker ended the transaction before it heard of the commit")
    void transactionTimeoutThenCommit() throws Exception {
        try (var rig = Rig.behindProxy(setup -> {
            setup.partitions = 1;
            setup.outputPartitions = 1;
            setup.commitInterval = Duration.ofMillis(100);
            setup.transactionTimeout = Duration.ofSeconds(3);
            setup.commitDeadline = Duration.ofSeconds(10);
            setup.request = Duration.ofSeconds(1);
        })) {
            var a = running(rig);
            long before = a.events().records.get();
            try (var fault = proxy.on(ApiKeys.END_TXN).from(a.slot()).holdRequests()) {
                processInOneEpoch(rig, a, 30);
                fault.awaitHits(1, SOON);
                rig.await("its transaction is open", () -> !rig.log()
                        .stableEnds(rig.output())
                        .equals(rig.log().ends(rig.output())));
                rig.await("the broker ends it", () -> rig.log()
                        .stableEnds(rig.output())
                        .equals(rig.log().ends(rig.output())));
                assertThat(a.events().rollBacks.get()).isZero();
            }
            rig.await("it goes back", () -> a.events().rollBacks.get() == 1);
            rig.finish();
            assertThat(a.events().records.get()).isEqualTo(before + 60);
        }
    }

    @Test
    @DisplayName("txn-timeout-then-commit (R2, F2, I1): the broker ended the transaction while the worker stood still")
    void transactionTimeoutOfAWorkerThatStandsStill() throws Exception {
        try (var rig = Rig.behindProxy(setup -> {
            setup.partitions = 1;
            setup.outputPartitions = 1;
            setup.checkpointInterval = Duration.ofSeconds(1);
            setup.transactionTimeout = Duration.ofSeconds(3);
            setup.request = Duration.ofSeconds(1);
        })) {
            var a = running(rig);
            long before = a.events().records.get();
            a.hold(Part.COORDINATOR);
            rig.produce(30);
            rig.await("records are processed", () -> a.events().records.get() >= before + 30);
            rig.await(
                    "only their transaction is open",
                    () -> onlyRunningEpochs(a)
                            && !rig.log()
                                    .stableEnds(rig.output())
                                    .equals(rig.log().ends(rig.output())));
            a.hold(Part.WORKERS);
            int commits = a.events().commits.get();
            rig.produce(30);
            rig.await(
                    "the broker ends it",
                    () -> rig.log().stableEnds(rig.output()).equals(rig.log().ends(rig.output())));
            a.release(Part.WORKERS);
            rig.await("it goes back", () -> a.events().rollBacks.get() == 1);
            assertThat(a.events().commits.get()).isEqualTo(commits);
            a.release(Part.COORDINATOR);
            rig.finish();
            assertThat(a.events().records.get()).isGreaterThanOrEqualTo(before + 90);
        }
    }

    @Test
    @DisplayName(
            "abort-N-kills-N+1 (I1, I3): a commit fails; the epoch behind it dies first, and both are replayed in order")
    void abortKillsTheNext() throws Exception {
        try (var rig = rig()) {
            var a = running(rig);
            // Again and again: after each time the producers may stand in another order than before.
            for (int time = 1; time <= 2; time++) {
                long before = a.events().records.get();
                int rollBacks = time;
                String running;
                try (var journal = new Journal(proxy, a.slot())) {
                    try (var fault = proxy.on(ApiKeys.END_TXN).from(a.slot()).loseRequests()) {
                        rig.produce(30);
                        fault.awaitHits(1, SOON);
                        journal.clear();
                        rig.produce(30);
                        rig.await(
                                "records of the next epoch are on the broker",
                                () -> a.events().records.get() >= before + 60
                                        && journal.count(Way.REPLY, ApiKeys.PRODUCE) > 0
                                        && a.status().get(0).openEpochs() == 2);
                        var ids = producers(journal.of(Way.REPLY, ApiKeys.PRODUCE));
                        assertThat(ids).hasSize(1);
                        running = ids.iterator().next();
                        rig.await("both are void", () -> a.events().rollBacks.get() == rollBacks);
                    }
                    var ended = journal.of(Way.REQUEST, ApiKeys.INIT_PRODUCER_ID);
                    assertThat(ended)
                            .extracting(each -> each.request().clientId())
                            .startsWith(running);
                    assertThat(producers(ended)).hasSize(2);
                }
                rig.awaitCaughtUp();
                assertThat(a.events().records.get()).isEqualTo(before + 120);
            }
            rig.finish();
        }
    }
}
