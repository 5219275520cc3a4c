package dev.weir.benchmark.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Checks every output of a worker: each must follow from the one before it for its key by one amount, and the amounts must be those that
 * were sent, in their order. A lost, doubled, swapped or wrong output is a fault.
 */
public final class Verifier {

    private static final int TOLD_FAULTS = 5;

    private final Ledger expected;
    private final Ledger seen;
    private final List<String> faults = new ArrayList<>();
    private long faulty;

    /** Of a worker whose outputs must come to this from an empty state. */
    public Verifier(Ledger expected) {
        this.expected = expected;
        this.seen = new Ledger(expected.ids());
    }

    /** Looks at one output; those of a key in the order in which they are readable. */
    public void accept(byte[] key, byte[] state) {
        long id = Workload.id(key);
        if (id < 0 || id >= seen.ids()) {
            fault("an output has a key that no input has");
            return;
        }
        if (state.length < Workload.MIN_STATE_BYTES) {
            fault("an output of key " + id + " has " + state.length + " bytes");
            return;
        }
        int at = (int) id;
        long amount = Workload.sum(state) - seen.sum(at);
        long count = seen.count(at) + 1L;
        if (Workload.count(state) != count) {
            fault("the count of key " + id + " is " + Workload.count(state) + " where " + count + " must follow");
        } else if (amount < 0 || amount >= Workload.AMOUNTS) {
            fault("the sum of key " + id + " went up by " + amount + " at count " + count);
        } else if (Workload.max(state) != Math.max(seen.max(at), amount)) {
            fault("the greatest amount of key " + id + " is " + Workload.max(state) + " at count " + count);
        }
        seen.add(at, (int) Math.max(0, Math.min(Workload.AMOUNTS - 1, amount)));
    }

    /** How many outputs were looked at that have a known key. */
    public long outputs() {
        return seen.records();
    }

    /** What is wrong with all of it; empty if nothing is. */
    public List<String> faults() {
        List<String> all = new ArrayList<>(faults);
        if (faulty > faults.size()) {
            all.add(String.format(Locale.ROOT, "and %,d more faulty outputs", faulty - faults.size()));
        }
        if (seen.records() != expected.records()) {
            all.add(String.format(
                    Locale.ROOT, "%,d outputs where %,d were expected", seen.records(), expected.records()));
        }
        int different = seen.differences(expected);
        if (different > 0) {
            all.add(String.format(Locale.ROOT, "%,d keys do not come to what was sent", different));
        }
        return all;
    }

    private void fault(String text) {
        faulty++;
        if (faults.size() < TOLD_FAULTS) {
            faults.add(text);
        }
    }
}
