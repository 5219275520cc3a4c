package dev.weir.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.coordinator.CoordinatorSettings.MarkerMode;
import dev.weir.coordinator.CoordinatorSettings.SourceTopic;
import dev.weir.failure.ConfigurationException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CoordinatorSettingsTest {

    private static final SourceTopic ORDERS = new SourceTopic("orders", MarkerMode.IN_BAND);

    @Test
    void defaultsAreAccepted() {
        assertThat(CoordinatorSettings.of("shop", List.of(ORDERS)).checkpointTimeout())
                .isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void saysAllThatIsWrong() {
        assertThatThrownBy(() -> new CoordinatorSettings(
                        "shop",
                        List.of(ORDERS, ORDERS),
                        Duration.ZERO,
                        Duration.ofMillis(-5),
                        Duration.ofSeconds(1),
                        0))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage(
                        "Cannot coordinate domain 'shop': the source topic 'orders' is named twice; "
                                + "the checkpoint interval is 0 ms; it must be 1 ms or more; "
                                + "the checkpoint timeout is -5 ms; it must be 1 ms or more; "
                                + "the full state cannot be written every 0 records; it takes 1 or more. Correct the settings.");
        assertThatThrownBy(() -> CoordinatorSettings.of(" ", List.of()))
                .hasMessageContaining("the domain has no name; there is no source topic");
        assertThatThrownBy(() -> new SourceTopic("", MarkerMode.BY_OFFSET)).isInstanceOf(ConfigurationException.class);
    }
}
