package dev.weir.torture;

import dev.weir.barrier.ControlRecord;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Judges of what is left when the faults are over. Each names what is wrong, one sentence each; none if nothing is. */
final class Checkers {

    private Checkers() {}

    /** The input is what was sent: each partition's items numbered without a gap (so that the judges have a right measure). */
    static List<String> input(Oracle oracle, long sent) {
        var wrong = new ArrayList<String>();
        long found = 0;
        for (int partition = 0; partition < oracle.partitions(); partition++) {
            var items = oracle.input(partition);
            found += items.size();
            for (int i = 0; i < items.size(); i++) {
                if (items.get(i).item().seq() != i || items.get(i).item().partition() != partition) {
                    wrong.add("input: item " + i + " of partition " + partition + " is " + items.get(i));
                    break;
                }
            }
        }
        if (found != sent) {
            wrong.add("input: " + sent + " items were acknowledged, " + found + " are there");
        }
        return wrong;
    }

    /**
     * The outputs are exactly what must come of the input before the committed positions, in the order of the input (I1, I3, I9).
     *
     * @param outputs the texts of each partition in their order
     */
    static List<String> outputs(Oracle oracle, Map<Integer, Long> positions, List<List<String>> outputs) {
        var wrong = new ArrayList<String>();
        for (int partition = 0; partition < oracle.partitions(); partition++) {
            var expected = oracle.postings(partition, positions.getOrDefault(partition, 0L)).stream()
                    .map(Posting::text)
                    .toList();
            var found = outputs.get(partition);
            if (!found.equals(expected)) {
                wrong.add("I1, I3, I9: outputs of partition " + partition + ": " + difference(expected, found));
            }
        }
        return wrong;
    }

    /** What was seen while the faults went on is what is there now (I2). */
    static <T> List<String> sameLog(List<List<T>> seen, List<List<T>> there) {
        var wrong = new ArrayList<String>();
        for (int partition = 0; partition < there.size(); partition++) {
            if (!seen.get(partition).equals(there.get(partition))) {
                wrong.add("I2: what was seen of partition " + partition + " is not what is there: "
                        + difference(there.get(partition), seen.get(partition)));
            }
        }
        return wrong;
    }

    /** A restored state is that of the input before its position (I6), and nothing was lost on the way between two keys (I7). */
    static List<String> state(String what, Oracle oracle, int partition, long position, Map<String, Account> restored) {
        var wrong = new ArrayList<String>();
        var expected = oracle.accounts(partition, position);
        if (!new TreeMap<>(restored).equals(new TreeMap<>(expected))) {
            var keys = new HashSet<>(expected.keySet());
            keys.addAll(restored.keySet());
            var different = keys.stream()
                    .filter(key -> !String.valueOf(expected.get(key)).equals(String.valueOf(restored.get(key))))
                    .sorted()
                    .toList();
            wrong.add("I6: " + what + " at " + position + " holds another state at " + different.size() + " keys; "
                    + different.get(0) + " has " + restored.get(different.get(0)) + ", expected "
                    + expected.get(different.get(0)));
        }
        long sum = restored.values().stream().mapToLong(Account::sum).sum();
        if (sum != oracle.underWay(partition, position)) {
            wrong.add("I7: " + what + " at " + position + " has the sum " + sum + ", expected "
                    + oracle.underWay(partition, position));
        }
        return wrong;
    }

    /** Ids of checkpoints only grow, and each is decided once, as the store says (I8). */
    static List<String> decisions(List<ControlRecord> control, Map<Long, Outcome> store) {
        var wrong = new ArrayList<String>();
        var decided = new TreeMap<Long, Outcome>();
        long started = 0;
        long completed = 0;
        for (var record : control) {
            if (record instanceof ControlRecord.CheckpointStarted start) {
                if (start.checkpoint() <= started) {
                    wrong.add("I8: checkpoint " + start.checkpoint() + " was started after " + started);
                }
                started = Math.max(started, start.checkpoint());
            } else if (record instanceof ControlRecord.CheckpointCompleted complete) {
                if (complete.checkpoint() <= completed) {
                    wrong.add("I8: checkpoint " + complete.checkpoint() + " was completed after " + completed);
                }
                completed = Math.max(completed, complete.checkpoint());
                decide(decided, complete.checkpoint(), Outcome.COMPLETE, store, wrong);
            } else if (record instanceof ControlRecord.CheckpointAbandoned abandoned) {
                decide(decided, abandoned.checkpoint(), Outcome.ABANDONED, store, wrong);
            }
        }
        return wrong;
    }

    private static void decide(
            Map<Long, Outcome> decided, long id, Outcome outcome, Map<Long, Outcome> store, List<String> wrong) {
        if (decided.put(id, outcome) != null) {
            wrong.add("I8: checkpoint " + id + " was decided twice");
        }
        if (store.get(id) != outcome) {
            wrong.add("I8: checkpoint " + id + " is " + outcome + " on the control topic and " + store.get(id)
                    + " in the store");
        }
    }

    private static <T> String difference(List<T> expected, List<T> found) {
        int at = 0;
        while (at < expected.size() && at < found.size() && expected.get(at).equals(found.get(at))) {
            at++;
        }
        if (at == found.size()) {
            return (expected.size() - at) + " are missing from " + expected.get(at) + " on";
        }
        var what = "number " + at + " is " + found.get(at)
                + (found.subList(0, at).contains(found.get(at)) ? ", which was there before" : "");
        return at == expected.size() ? what + ", too many" : what + ", expected " + expected.get(at);
    }
}
