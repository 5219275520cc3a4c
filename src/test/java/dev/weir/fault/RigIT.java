package dev.weir.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.fault.Sequence.Item;
import dev.weir.snapshot.StoreLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rig itself: a service processes, is stopped, killed and held, and what the checks accept is right. */
class RigIT {

    @Test
    void runsStopsAndStartsAgain() throws Exception {
        try (var rig = Rig.create()) {
            var a = rig.service("a").run();
            rig.produce(200);
            rig.finish();
            assertThat(rig.outputs().stream().mapToInt(each -> each.size()).sum())
                    .isEqualTo(200);
            a.stop();
            rig.produce(100);
            a.run();
            rig.finish();
            assertThat(a.events().restores.get()).isGreaterThanOrEqualTo(4);
        }
    }

    @Test
    void killsAndHolds() throws Exception {
        try (var rig = Rig.create(setup -> setup.partitions = 4)) {
            rig.startTrickle(5, Duration.ofMillis(10));
            var a = rig.service("a").run();
            var b = rig.service("b").run();
            rig.await(
                    "both have tasks",
                    () -> a.running().size() == 2 && b.running().size() == 2);
            rig.awaitNextCheckpoint();
            a.kill();
            rig.await("b has all tasks", () -> b.running().size() == 4);
            b.hold(Service.Part.WORKERS);
            long commits = b.events().commits.get();
            rig.produce(10);
            assertThat(b.events().commits.get()).isEqualTo(commits);
            b.release(Service.Part.WORKERS);
            a.run();
            rig.await(
                    "both have tasks again",
                    () -> a.running().size() == 2 && b.running().size() == 2);
            rig.finish();
        }
    }

    @Test
    void checksFailWhenTheyShould(@TempDir Path folder) throws Exception {
        try (var rig = Rig.create()) {
            rig.produce(50);
            rig.service("a").run();
            rig.finish();
            rig.service("a").stop();
            rig.check();
            long id = rig.highestComplete();
            var object = new StoreLayout(rig.domain()).checkpoint(id);
            var decided = rig.objects().get(object);
            rig.objects().delete(List.of(object));
            assertThatThrownBy(rig::checkDecisions).hasMessageContaining("Checkpoint " + id + " is COMPLETE");
            rig.objects().put(object, decided);
            rig.check();

            var states = new CheckpointCheck(rig, folder);
            states.checkNewest(1);
            rig.sequence().add(new Item(0, 1_000, "p0k0", 1), 0);
            assertThatThrownBy(() -> states.checkNewest(1)).hasMessageContaining("for totals/0");
            assertThatThrownBy(rig::check).hasMessageContaining("p0k0");
        }
    }

    @Test
    void stepsByHand() throws Exception {
        try (var rig = Rig.create()) {
            rig.produce(20);
            var a = rig.service("a").open();
            rig.await("all is processed by steps of this test", () -> {
                a.step();
                return rig.positions()
                        .equals(rig.sequence().partitions().stream()
                                .collect(Collectors.toMap(
                                        p -> p, p -> rig.sequence().end(p))));
            });
        }
    }
}
