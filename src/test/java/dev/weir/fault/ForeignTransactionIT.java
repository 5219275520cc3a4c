package dev.weir.fault;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fault.Sequence.Item;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Somebody else's transactions on an input. */
@Timeout(60)
class ForeignTransactionIT {

    @Test
    @DisplayName(
            "foreign-long-transaction (I1, I2, I5, I11): checkpoints go on though nothing behind it can be read, and nothing is lost")
    void foreignLongTransaction() throws Exception {
        try (var rig = Rig.create(setup -> setup.commitInterval = Duration.ofMillis(200));
                var foreign = new KafkaProducer<>(
                        Map.of(
                                "bootstrap.servers",
                                rig.broker().bootstrapServers(),
                                "transactional.id",
                                rig.domain() + "-another-team"),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            var a = rig.service("a").run();
            rig.produce(40);
            rig.awaitCaughtUp();
            foreign.initTransactions();

            foreign.beginTransaction();
            // Not an item: it would stop the task if it was ever handed to it.
            Rig.get(foreign.send(new ProducerRecord<>(rig.input(), 1, new byte[] {1}, new byte[] {1})));
            goesOnBesideIt(rig);
            foreign.abortTransaction();
            rig.awaitCaughtUp();

            foreign.beginTransaction();
            var item = new Item(1, 1_000_000, "p1k0", 12_345);
            long offset = Rig.get(foreign.send(
                            new ProducerRecord<>(rig.input(), 1, item.key().getBytes(UTF_8), item.bytes())))
                    .offset();
            rig.sequence().add(item, offset);
            goesOnBesideIt(rig);
            assertThat(rig.position(1)).isLessThanOrEqualTo(offset);
            foreign.commitTransaction();
            rig.finish();
            assertThat(rig.position(1)).isGreaterThan(offset);
            assertThat(a.events().rollBacks.get()).isZero();
        }
    }

    /** With the transaction open in partition 1. */
    private static void goesOnBesideIt(Rig rig) {
        long stuckAt = rig.log().stableEnds(rig.input()).getOrDefault(1, 0L);
        assertThat(rig.log().ends(rig.input()).get(1)).isGreaterThan(stuckAt);
        rig.produce(0, 40);
        rig.produce(1, 40);
        rig.await(
                "the other partition is processed",
                () -> rig.positions().getOrDefault(0, 0L) >= rig.sequence().end(0));
        rig.awaitNextCheckpoint();
        long newest = rig.awaitNextCheckpoint();
        var checkpoint = rig.checkpoint(newest);
        rig.checkStates(checkpoint);
        for (var cut : checkpoint.cuts()) {
            var snapshot = Objects.requireNonNull(
                    rig.snapshots().readManifest(cut.manifest()).task(cut.task()));
            int partition = cut.task().partition();
            assertThat(snapshot.lastCut().aligned())
                    .as("partition " + partition)
                    .isEqualTo(partition == 0);
            if (partition == 1) {
                assertThat(snapshot.positions().get(rig.in(1))).isLessThanOrEqualTo(stuckAt);
                assertThat(checkpoint.markers().get(rig.in(1))).isGreaterThan(stuckAt);
            }
        }
    }
}
