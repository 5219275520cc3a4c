package dev.weir.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {

    @Test
    void takesTheMiddleOne() {
        assertThat(Spread.of(List.of(9.0, 1.0, 2.0))).isEqualTo(new Spread(2, 1, 9));
    }

    @Test
    void takesTheMeanOfTheTwoInTheMiddle() {
        assertThat(Spread.of(List.of(9.0, 1.0, 2.0, 4.0))).isEqualTo(new Spread(3, 1, 9));
    }

    @Test
    void refusesNothing() {
        assertThatThrownBy(() -> Spread.of(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void countsMilliseconds() {
        var histogram = new Histogram();
        for (int millis = 1; millis <= 100; millis++) {
            histogram.add(millis);
        }
        histogram.add(-5);
        histogram.add(1_000_000);

        assertThat(histogram.quantile(0.5)).isEqualTo(50);
        assertThat(histogram.quantile(0.99)).isEqualTo(100);
        assertThat(histogram.quantile(0)).isZero();
        assertThat(histogram.quantile(1)).isEqualTo(120_000);
        assertThat(new Histogram().quantile(0.5)).isEqualTo(-1);
    }
}
