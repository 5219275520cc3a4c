package dev.weir.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.coordinator.CoordinatorSettings.MarkerMode;
import dev.weir.coordinator.CoordinatorSettings.SourceTopic;
import dev.weir.failure.ConfigurationException;
import dev.weir.snapshot.InMemoryObjectStore;
import dev.weir.snapshot.SnapshotStore;
import dev.weir.time.Clock;
import dev.weir.time.Tokens;
import java.util.List;
import org.junit.jupiter.api.Test;

class CoordinatorLoopTest {

    private final FakeCluster cluster = new FakeCluster();
    private final Coordinator coordinator = new Coordinator(
            CoordinatorSettings.of("shop", List.of(new SourceTopic("orders", MarkerMode.IN_BAND))),
            cluster,
            new SnapshotStore(new InMemoryObjectStore(Clock.system()), "shop", Tokens.secure()),
            CheckpointListener.NOOP,
            new HandedBackground(),
            Clock.system(),
            Tokens.secure());
    private final CoordinatorLoop loop = new CoordinatorLoop("shop", coordinator);

    @Test
    void leadsUntilItIsClosed() {
        loop.start();
        await().until(coordinator::isLeader);

        loop.close();

        assertThat(coordinator.isLeader()).isFalse();
        assertThat(cluster.leadershipsClosed).isEqualTo(1);
        assertThat(loop.failure()).isNull();
    }

    @Test
    void endsAndSaysWhyWhenTryingAgainCannotHelp() {
        cluster.electionFailure = new ConfigurationException("no permission");

        loop.start();
        await().until(() -> loop.failure() != null);
        loop.close();

        assertThat(loop.failure()).hasMessage("no permission");
        assertThat(cluster.leadershipsClosed).isEqualTo(1);
    }

    @Test
    void closesWithoutHavingBeenStarted() {
        loop.close();

        assertThat(coordinator.isLeader()).isFalse();
    }
}
