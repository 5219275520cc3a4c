package dev.weir.benchmark.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A worker's outputs are let through as they should be, and in no other way. */
class VerifierTest {

    private static final int KEYS = 20;
    private static final int RECORDS = 500;

    private final Ledger ledger = new Ledger(KEYS);
    private final List<byte[][]> outputs = new ArrayList<>();

    @BeforeEach
    void work() {
        var random = new SplittableRandom(3);
        Map<Integer, byte[]> states = new HashMap<>();
        for (int i = 0; i < RECORDS; i++) {
            int id = random.nextInt(KEYS);
            int amount = random.nextInt(Workload.AMOUNTS);
            ledger.add(id, amount);
            byte[] state = Workload.update(states.get(id), amount, Workload.MIN_STATE_BYTES);
            states.put(id, state);
            outputs.add(new byte[][] {Workload.key(id), state});
        }
    }

    @Test
    void letsRightOutputsThrough() {
        assertThat(faults()).isEmpty();
    }

    @Test
    void noticesALostOutput() {
        outputs.remove(RECORDS / 2);
        assertThat(faults()).anyMatch(fault -> fault.contains("499 outputs where 500 were expected"));
    }

    @Test
    void noticesThatTheLastOutputIsLost() {
        outputs.remove(RECORDS - 1);
        assertThat(faults()).anyMatch(fault -> fault.contains("1 keys do not come to what was sent"));
    }

    @Test
    void noticesADoubledOutput() {
        outputs.add(RECORDS / 2, outputs.get(RECORDS / 2));
        assertThat(faults()).anyMatch(fault -> fault.contains("must follow"));
    }

    @Test
    void noticesSwappedOutputsOfAKey() {
        byte[] key = outputs.get(0)[0];
        int next = 1;
        while (Workload.id(outputs.get(next)[0]) != Workload.id(key)) {
            next++;
        }
        Collections.swap(outputs, 0, next);
        assertThat(faults()).anyMatch(fault -> fault.contains("must follow"));
    }

    @Test
    void doesNotMindTheOrderOfDifferentKeys() {
        int next = 1;
        while (Workload.id(outputs.get(next)[0]) == Workload.id(outputs.get(next - 1)[0])) {
            next++;
        }
        Collections.swap(outputs, next - 1, next);
        assertThat(faults()).isEmpty();
    }

    @Test
    void noticesAnUpdateThatWasMadeTwiceOrNotAtAll() {
        byte[][] last = outputs.get(RECORDS - 1);
        outputs.set(RECORDS - 1, new byte[][] {last[0], Workload.update(last[1], 1, Workload.MIN_STATE_BYTES)});
        assertThat(faults()).anyMatch(fault -> fault.contains("must follow"));
    }

    @Test
    void noticesAWrongAmount() {
        var other = new Ledger(KEYS);
        for (byte[][] output : outputs.subList(0, 1)) {
            other.add((int) Workload.id(output[0]), (int) Workload.sum(output[1]) - 1);
        }
        var verifier = new Verifier(other);
        verifier.accept(outputs.get(0)[0], outputs.get(0)[1]);
        assertThat(verifier.faults()).containsExactly("1 keys do not come to what was sent");
    }

    @Test
    void noticesAmountsInAnotherOrder() {
        var one = new Ledger(1);
        var other = new Ledger(1);
        one.add(0, 1);
        one.add(0, 2);
        one.add(0, 3);
        other.add(0, 2);
        other.add(0, 1);
        other.add(0, 3);
        assertThat(one.differences(other)).isEqualTo(1);
    }

    @Test
    void noticesAKeyThatWasNotSent() {
        outputs.set(0, new byte[][] {Workload.key(KEYS), outputs.get(0)[1]});
        assertThat(faults()).anyMatch(fault -> fault.contains("a key that no input has"));
    }

    @Test
    void noticesAnOutputWithoutAState() {
        outputs.set(0, new byte[][] {outputs.get(0)[0], new byte[3]});
        assertThat(faults()).anyMatch(fault -> fault.contains("has 3 bytes"));
    }

    private List<String> faults() {
        var verifier = new Verifier(ledger);
        outputs.forEach(output -> verifier.accept(output[0], output[1]));
        return verifier.faults();
    }
}
