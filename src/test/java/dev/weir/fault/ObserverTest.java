package dev.weir.fault;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.fault.Observer.Seen;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a reader was shown must be what stands in the log; each way of differing is noticed (I2, I13). */
class ObserverTest {

    private static final List<Seen> LOG = List.of(new Seen(0, "a"), new Seen(1, "b"), new Seen(3, "c"));

    private static void compare(Consumer<List<Seen>> change) {
        var shown = new ArrayList<>(LOG);
        change.accept(shown);
        Observer.compare(0, LOG, shown);
    }

    @Test
    void acceptsWhatStandsInTheLog() {
        assertThatCode(() -> compare(shown -> {})).doesNotThrowAnyException();
    }

    @Test
    void noticesWhatWasDroppedDoubledSwappedOrAltered() {
        assertThatThrownBy(() -> compare(shown -> shown.remove(1))).hasMessageContaining("was shown");
        assertThatThrownBy(() -> compare(shown -> shown.remove(2))).hasMessageContaining("2 records");
        assertThatThrownBy(() -> compare(shown -> shown.add(new Seen(4, "c")))).hasMessageContaining("4 records");
        assertThatThrownBy(() -> compare(shown -> Collections.swap(shown, 0, 1)))
                .hasMessageContaining("was shown");
        assertThatThrownBy(() -> compare(shown -> shown.set(1, new Seen(1, "x"))))
                .hasMessageContaining("was shown");
        assertThatThrownBy(() -> compare(shown -> shown.set(1, new Seen(2, "b"))))
                .hasMessageContaining("was shown");
    }
}
