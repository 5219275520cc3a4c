package dev.weir.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.barrier.ControlRecord;
import dev.weir.fault.Service.Part;
import dev.weir.fixture.KafkaProxy;
import dev.weir.fixture.ProxiedBroker;
import dev.weir.worker.WorkerSettings.StartFrom;
import java.time.Duration;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers that die at a bad moment, and what they leave behind. */
@Timeout(60)
class OwnerFaultsIT {

    private static final Duration SOON = Duration.ofSeconds(10);

    private final KafkaProxy proxy = ProxiedBroker.shared().proxy();

    @Test
    @DisplayName(
            "dead-slot-fencing (F1, I4, I11): what a dead worker left open ends long before the transaction's timeout")
    void deadSlotFencing() throws Exception {
        var transaction = Duration.ofMinutes(5);
        try (var rig = Rig.behindProxy(setup -> {
            setup.commitInterval = Duration.ofMillis(100);
            setup.transactionTimeout = transaction;
            setup.slotGrace = Duration.ofSeconds(2);
        })) {
            var a = rig.service("a").run();
            var b = rig.service("b").withoutCoordinator().run();
            rig.await(
                    "the tasks are shared",
                    () -> a.running().size() == 1 && b.running().size() == 1);
            rig.produce(40);
            rig.awaitCaughtUp();
            int orphan = b.running().get(0);
            try (var fault = proxy.on(ApiKeys.END_TXN).from(b.slot()).holdRequests()) {
                rig.produce(40);
                fault.awaitHits(1, SOON);
                b.kill();
                long died = System.nanoTime();
                rig.await("its outputs and its positions are pending", () -> !rig.log()
                        .stableEnds(rig.output())
                        .equals(rig.log().ends(rig.output())));
                rig.await("its slot is fenced", () -> rig.control().stream()
                        .anyMatch(record -> record instanceof ControlRecord.SlotFenced fenced
                                && fenced.slot().equals(b.slot())));
                rig.await("its task runs elsewhere", () -> a.running().contains(orphan));
                rig.finish();
                assertThat(Duration.ofNanos(System.nanoTime() - died)).isLessThan(transaction.dividedBy(10));
                assertThat(rig.pointer(orphan).slot()).isEqualTo(a.slot());
                var outputs = rig.outputs();
                fault.close();
                rig.produce(40);
                rig.finish();
                assertThat(rig.outputs().get(0)).startsWith(outputs.get(0).toArray(new Sequence.Total[0]));
                assertThat(rig.outputs().get(1)).startsWith(outputs.get(1).toArray(new Sequence.Total[0]));
            }
        }
    }

    @Test
    @DisplayName(
            "first-start-latest-crash (F1, I1, R19): what is written after the first positions were committed is never skipped")
    void firstStartLatestCrash() throws Exception {
        try (var rig = Rig.create(setup -> setup.startFrom = new StartFrom.Latest())) {
            rig.produce(30);
            rig.sequence().clear();
            rig.service("leader").withoutWorkers().run();
            var a = rig.service("a").withoutCoordinator().open();
            rig.await("the first positions are committed", () -> {
                a.step();
                return rig.positions().size() == rig.partitions();
            });
            a.kill();
            assertThat(a.events().records.get()).isZero();
            for (int partition = 0; partition < rig.partitions(); partition++) {
                assertThat(rig.pointer(partition).epoch()).isZero();
            }
            rig.produce(30);
            a.run();
            rig.finish();
            assertThat(a.events().records.get()).isEqualTo(30);
        }
    }

    @Test
    @DisplayName("first-start-latest-crash (F1, I1): a crash before anything is committed resolves the start anew")
    void firstStartLatestCrashBeforeTheFirstCommit() throws Exception {
        try (var rig = Rig.behindProxy(setup -> setup.startFrom = new StartFrom.Latest())) {
            rig.service("leader").withoutWorkers().run();
            var a = rig.service("a").withoutCoordinator();
            try (var fault = proxy.on(ApiKeys.TXN_OFFSET_COMMIT).from(a.slot()).holdRequests()) {
                a.run();
                fault.awaitHits(1, SOON);
                a.hold(Part.WORKERS);
                a.kill();
            }
            rig.produce(30);
            rig.sequence().clear();
            a.run();
            rig.await("its tasks run", () -> a.running().size() == rig.partitions());
            rig.produce(30);
            rig.finish();
            assertThat(a.events().records.get()).isEqualTo(30);
        }
    }

    @Test
    @DisplayName(
            "dead-slot-fencing (F2, I4): a slot that was fenced and lives is watched again, and fenced again when it dies")
    void fencedSlotThatLives() throws Exception {
        try (var rig = Rig.behindProxy(setup -> {
            setup.commitInterval = Duration.ofMillis(100);
            setup.transactionTimeout = Duration.ofMinutes(5);
            setup.slotGrace = Duration.ofSeconds(1);
            setup.session = Duration.ofMillis(1_500);
        })) {
            var a = rig.service("a").run();
            var b = rig.service("b").withoutCoordinator().run();
            rig.await(
                    "the tasks are shared",
                    () -> a.running().size() == 1 && b.running().size() == 1);
            try (var silence = proxy.on(ApiKeys.HEARTBEAT, ApiKeys.JOIN_GROUP, ApiKeys.SYNC_GROUP)
                    .from(b.slot())
                    .holdRequests()) {
                rig.await("it is taken for dead", () -> fenced(rig, b) > 0);
                assertThat(silence.hits()).isPositive();
            }
            rig.await(
                    "it is a member again",
                    () -> a.running().size() == 1 && b.running().size() == 1);
            rig.produce(40);
            rig.awaitCaughtUp();
            long before = fenced(rig, b);
            try (var fault = proxy.on(ApiKeys.END_TXN).from(b.slot()).holdRequests()) {
                rig.produce(40);
                fault.awaitHits(1, SOON);
                b.kill();
                rig.await("its slot is fenced again", () -> fenced(rig, b) > before);
                rig.finish();
            }
        }
    }

    private static long fenced(Rig rig, Service service) {
        return rig.control().stream()
                .filter(record -> record instanceof ControlRecord.SlotFenced fenced
                        && fenced.slot().equals(service.slot()))
                .count();
    }
}
