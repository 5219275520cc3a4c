package dev.weir.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerdictTest {

    private static final Totals ONE = new Totals(1, 0, 5, 5, 100);
    private static final Totals TWO = new Totals(2, 1, 25, 20, 200);
    private static final Totals THREE = new Totals(3, 1, 25, 20, 300);

    private static List<String> faults(List<Totals> log) {
        var verdict = new Verdict(Map.of("ATL", THREE));
        log.forEach(totals -> verdict.add("ATL", totals));
        return verdict.faults();
    }

    @Test
    void theRightLogIsRight() {
        assertThat(faults(List.of(ONE, TWO, THREE))).isEmpty();
    }

    @Test
    void oneRecordDroppedRepeatedSwappedOrChangedIsSeen() {
        var log = List.of(ONE, TWO, THREE);
        for (int i = 0; i < log.size(); i++) {
            var dropped = new ArrayList<>(log);
            dropped.remove(i);
            assertThat(faults(dropped)).as("without " + i).isNotEmpty();

            var repeated = new ArrayList<>(log);
            repeated.add(i, log.get(i));
            assertThat(faults(repeated)).as("with " + i + " twice").isNotEmpty();
        }
        var swapped = new ArrayList<>(log);
        Collections.swap(swapped, 0, 1);
        assertThat(faults(swapped)).isNotEmpty();
        assertThat(faults(List.of(ONE, TWO, new Totals(3, 2, 25, 20, 300)))).isNotEmpty();
        assertThat(faults(List.of())).containsExactly("ATL: nothing was committed");
    }

    @Test
    void theTableSaysWrongWhenItIs() {
        var verdict = new Verdict(Map.of("ATL", ONE));
        assertThat(verdict.table()).contains("WRONG").doesNotContain("RIGHT");
        verdict.add("ATL", ONE);
        assertThat(verdict.table()).contains("RIGHT").doesNotContain("WRONG");
    }
}
