package dev.weir.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What must come of an input, by a plain fold over it. */
final class Oracle {

    /** An item and where it stands. */
    record Placed(long offset, Item item) {}

    private final List<List<Placed>> input;

    /** Each partition in the order of offsets. */
    Oracle(List<List<Placed>> input) {
        this.input = List.copyOf(input);
    }

    int partitions() {
        return input.size();
    }

    List<Placed> input(int partition) {
        return input.get(partition);
    }

    /** What must come of a partition up to a position. */
    List<Posting> postings(int partition, long position) {
        var accounts = new TreeMap<String, Account>();
        var postings = new ArrayList<Posting>();
        for (var placed : input.get(partition)) {
            if (placed.offset() >= position) {
                break;
            }
            var account = accounts.merge(
                    placed.item().key(),
                    Account.EMPTY.plus(placed.item()),
                    (before, unused) -> before.plus(placed.item()));
            postings.add(Posting.of(placed.item(), placed.offset(), account));
        }
        return postings;
    }

    /** The accounts of a partition's keys at a position. */
    Map<String, Account> accounts(int partition, long position) {
        var accounts = new TreeMap<String, Account>();
        postings(partition, position).forEach(posting -> accounts.put(posting.key(), posting.account()));
        return accounts;
    }

    /** What is on its way between two keys at a position: nothing behind each second item. */
    long underWay(int partition, long position) {
        long items = input.get(partition).stream()
                .filter(placed -> placed.offset() < position)
                .count();
        return items % 2 == 0
                ? 0
                : input.get(partition).get((int) items - 1).item().delta();
    }
}
