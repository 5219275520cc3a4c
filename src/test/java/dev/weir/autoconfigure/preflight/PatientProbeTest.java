package dev.weir.autoconfigure.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.TransientException;
import dev.weir.failure.WeirException;
import dev.weir.fixture.ForwardingStore;
import dev.weir.snapshot.InMemoryObjectStore;
import dev.weir.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A store that is away for a moment does not end the start; one that is set up wrongly does at once. */
class PatientProbeTest {

    private long now;
    private int probes;

    private final Clock clock = new Clock() {
        @Override
        public long wallMillis() {
            return now;
        }

        @Override
        public long nanos() {
            return now * 1_000_000;
        }
    };

    private final PatientProbe probe = new PatientProbe(clock, time -> now += time.toMillis(), Duration.ofSeconds(30));

    private ForwardingStore failing(WeirException failure, int times) {
        return new ForwardingStore(new InMemoryObjectStore(clock)) {
            @Override
            public void probe() {
                if (++probes <= times) {
                    throw failure;
                }
            }
        };
    }

    @Test
    void waitsForAStoreThatIsAwayForAMoment() {
        assertThat(probe.failure(failing(new TransientException("Cannot reach it: away"), 6)))
                .isNull();
        assertThat(probes).isEqualTo(7);
        assertThat(now).isEqualTo(6_000);
    }

    @Test
    void givesUpOnAStoreThatStaysAway() {
        assertThat(probe.failure(failing(new TransientException("Cannot reach it: away"), Integer.MAX_VALUE)))
                .isEqualTo("Cannot reach it: away");
        assertThat(now).isEqualTo(30_000);
    }

    @Test
    void doesNotWaitWhereWaitingDoesNotHelp() {
        assertThat(probe.failure(failing(new ConfigurationException("Cannot use it: no such bucket"), 1)))
                .isEqualTo("Cannot use it: no such bucket");
        assertThat(now).isZero();
    }
}
