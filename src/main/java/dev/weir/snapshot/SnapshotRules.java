package dev.weir.snapshot;

import dev.weir.snapshot.Manifest.Range;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** What holds for every snapshot of a task, whoever wrote it. */
final class SnapshotRules {

    private static final int DIGEST_DIGITS = 64;

    private SnapshotRules() {}

    /** What is wrong with a snapshot by itself: clauses, none if it is sound. */
    static List<String> violations(TaskSnapshot snapshot) {
        var found = new ArrayList<String>();
        long reached = 0;
        var base = snapshot.base();
        if (base != null) {
            reached = base.epoch();
            var names = new HashSet<String>();
            for (var file : base.files()) {
                if (!isFileName(file.name())) {
                    found.add("a file of its base has a name that is not a plain file name");
                }
                if (!names.add(file.name())) {
                    found.add("its base has two files named " + file.name());
                }
                check(file.content(), "file " + file.name() + " of its base", found);
            }
            if (base.epoch() > snapshot.epoch()) {
                found.add("its base is of epoch " + base.epoch() + ", beyond its own epoch " + snapshot.epoch());
            }
        }
        for (var delta : snapshot.deltas()) {
            if (delta.epoch() <= reached) {
                found.add("its delta of epoch " + delta.epoch() + " does not come after epoch " + reached);
            }
            if (delta.epoch() > snapshot.epoch()) {
                found.add("its delta of epoch " + delta.epoch() + " is beyond its own epoch " + snapshot.epoch());
            }
            check(delta.content(), "its delta of epoch " + delta.epoch(), found);
            reached = Math.max(reached, delta.epoch());
        }
        return found;
    }

    private static void check(Range range, String what, List<String> found) {
        boolean sound = ObjectNames.isName(range.object())
                && range.offset() >= 0
                && range.length() >= 0
                && range.offset() <= Long.MAX_VALUE - range.length()
                && isDigest(range.sha256());
        if (!sound) {
            found.add(what + " has no legal object, range or SHA-256");
        }
    }

    /** Whether it is a plain file name: one part of an object's name. */
    static boolean isFileName(String name) {
        return ObjectNames.isName(name) && name.indexOf('/') < 0;
    }

    /** Whether it has the form of a SHA-256 in lower-case hexadecimal. */
    static boolean isDigest(String text) {
        return text.length() == DIGEST_DIGITS
                && text.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
    }
}
