package dev.weir.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.fault.Sequence.Item;
import dev.weir.fault.Sequence.Total;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The checker accepts what is right and fails on each way of being wrong (I13). */
class OutputCheckTest {

    private final Sequence sequence = new Sequence();

    OutputCheckTest() {
        for (int i = 0; i < 12; i++) {
            sequence.add(new Item(i % 2, i / 2 + 1, "k" + i % 3, i + 1), i / 2);
        }
    }

    private List<Total> right() {
        var all = new ArrayList<>(sequence.totals(0, 6));
        all.addAll(sequence.totals(1, 4));
        return all;
    }

    private void check(Consumer<List<Total>> change) {
        var outputs = right();
        change.accept(outputs);
        OutputCheck.check(sequence, Map.of(0, 6L, 1, 4L), List.of(outputs));
    }

    @Test
    void acceptsWhatIsRight() {
        check(outputs -> {});
        assertThat(right()).hasSize(10).contains(new Total(0, 4, "k0", 1 + 7));
    }

    @Test
    void noticesAGap() {
        assertThatThrownBy(() -> check(outputs -> outputs.remove(2))).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> check(outputs -> outputs.remove(outputs.size() - 1)))
                .hasMessageContaining("missing");
    }

    @Test
    void noticesADouble() {
        assertThatThrownBy(() -> check(outputs -> outputs.add(outputs.get(0)))).hasMessageContaining("twice");
        assertThatThrownBy(() -> check(outputs -> outputs.add(1, outputs.get(0))))
                .hasMessageContaining("there before");
    }

    @Test
    void noticesASwap() {
        assertThatThrownBy(() -> check(outputs -> Collections.swap(outputs, 0, 3)))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void noticesAWrongTotalAndOneBeyondThePosition() {
        assertThatThrownBy(() -> check(outputs -> outputs.set(0, new Total(0, 1, "k0", 2))))
                .hasMessageContaining("expected");
        assertThatThrownBy(
                        () -> check(outputs -> outputs.add(sequence.totals(1, 6).get(5))))
                .hasMessageContaining("not committed");
    }

    @Test
    void noticesAnAlteredRecord() {
        var bytes = new Item(0, 1, "k", 5).bytes();
        bytes[6]++;
        assertThatThrownBy(() -> Item.parse(bytes)).hasMessageContaining("altered");
    }
}
