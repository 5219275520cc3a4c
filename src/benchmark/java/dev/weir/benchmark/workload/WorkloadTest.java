package dev.weir.benchmark.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WorkloadTest {

    @Test
    void tellsTheIdOfAKey() {
        Set<String> keys = new HashSet<>();
        for (int id = 0; id < 10_000; id++) {
            byte[] key = Workload.key(id);
            assertThat(key).hasSize(16);
            assertThat(Workload.id(key)).isEqualTo(id);
            keys.add(new String(key, StandardCharsets.US_ASCII));
        }
        assertThat(keys).hasSize(10_000);
    }

    @Test
    void knowsNoIdOfWhatIsNoKey() {
        assertThat(Workload.id(new byte[15])).isEqualTo(-1);
        assertThat(Workload.id("0123456789abcdeg".getBytes(StandardCharsets.US_ASCII)))
                .isEqualTo(-1);
    }

    @Test
    void readsTheAmountOfAValue() {
        for (int amount : new int[] {0, 7, 120_034, Workload.AMOUNTS - 1}) {
            assertThat(Workload.value(amount)).hasSize(Workload.VALUE_BYTES);
            assertThat(Workload.amount(Workload.value(amount))).isEqualTo(amount);
        }
    }

    @Test
    void keepsCountSumAndMax() {
        byte[] first = Workload.update(null, 5, 40);
        byte[] second = Workload.update(first, 3, 40);

        assertThat(second).hasSize(40);
        assertThat(Workload.count(first)).isEqualTo(1);
        assertThat(Workload.count(second)).isEqualTo(2);
        assertThat(Workload.sum(second)).isEqualTo(8);
        assertThat(Workload.max(second)).isEqualTo(5);
    }
}
