package dev.weir.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.failure.ConfigurationException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreLayoutTest {

    private final StoreLayout layout = new StoreLayout("flights");

    @Test
    void namesAreWhatToolsExpect() {
        assertThat(layout.object("9f".repeat(32), "0123456789abcdef"))
                .isEqualTo("flights/objects/9f/" + "9f".repeat(32) + "-0123456789abcdef");
        assertThat(layout.manifest("flights.delays.pod-0.1", 42, "abc"))
                .isEqualTo("flights/manifests/flights.delays.pod-0.1/00000000000000000042-abc.json");
        assertThat(layout.checkpoint(17)).isEqualTo("flights/checkpoints/00000000000000000017.json");
    }

    @Test
    void namesSortByEpochAndId() {
        var ids = LongStream.of(0, 1, 9, 10, 99, 100, 12_345_678_901L, Long.MAX_VALUE)
                .boxed()
                .toList();

        assertThat(ids.stream().map(layout::checkpoint)).isSorted();
        assertThat(ids.stream().map(epoch -> layout.manifest("slot", epoch, "t")))
                .isSorted();
    }

    @Test
    void aCheckpointsIdIsReadFromItsNameAlone() {
        assertThat(layout.checkpointId(layout.checkpoint(17))).hasValue(17);
        assertThat(layout.checkpointId(layout.checkpoint(Long.MAX_VALUE))).hasValue(Long.MAX_VALUE);
        assertThat(layout.checkpointId("flights/checkpoints/17.json")).isEmpty();
        assertThat(layout.checkpointId("flights/checkpoints/00000000000000000017.json.tmp"))
                .isEmpty();
        assertThat(layout.checkpointId("flights/checkpoints/0000000000000000001x.json"))
                .isEmpty();
        assertThat(layout.checkpointId("flights/checkpoints/+0000000000000000017.json"))
                .isEmpty();
        assertThat(layout.checkpointId("other/checkpoints/00000000000000000017.json"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a/b", "a b", "ä", "a+b", "a%2fb"})
    void aNameOutsideTheAlphabetIsRefused(String name) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> new StoreLayout(name))
                .withMessageStartingWith("Cannot name a domain");
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> layout.manifest(name, 1, "t"))
                .withMessageStartingWith("Cannot name a slot");
    }

    @Test
    void aNegativeNumberIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> layout.checkpoint(-1));
    }
}
