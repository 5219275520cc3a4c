package dev.weir.state;

import dev.weir.topology.TaskId;

/** What every store refuses. */
public final class StoreRules {

    private StoreRules() {}

    /** Refuses changes of another task, of an epoch that is over, or under a reserved key. */
    public static void checkApply(TaskId task, long epoch, Changes changes) {
        if (!changes.task().equals(task)) {
            throw new IllegalArgumentException(
                    "Cannot apply changes of task " + changes.task() + " to the store of task " + task);
        }
        if (changes.epoch() <= epoch) {
            throw new IllegalArgumentException("Cannot apply epoch " + changes.epoch() + " of task " + task
                    + ": the store is at epoch " + epoch + " already");
        }
        changes.visit((keys, keyOffset, keyLength, values, valueOffset, valueLength) -> {
            if (keyLength < 2 || (keys[keyOffset] == 0 && keys[keyOffset + 1] == 0)) {
                throw new IllegalArgumentException("Cannot apply epoch " + changes.epoch() + " of task " + task
                        + ": storage key " + Bytes.of(Entries.copy(keys, keyOffset, keyLength))
                        + " has no state number");
            }
        });
    }

    /** Refuses to go back. */
    public static void checkAdvance(TaskId task, long epoch, long newEpoch) {
        if (newEpoch < epoch) {
            throw new IllegalArgumentException(
                    "Cannot advance the store of task " + task + " from epoch " + epoch + " back to " + newEpoch);
        }
    }

    /** Names of files in an assembly, so that none can lead out of its directory. */
    public static String checkFileName(String name) {
        boolean plain = !name.isEmpty() && name.length() <= 200 && name.charAt(0) != '.';
        for (int i = 0; plain && i < name.length(); i++) {
            char c = name.charAt(i);
            plain = c >= 'a' && c <= 'z'
                    || c >= 'A' && c <= 'Z'
                    || c >= '0' && c <= '9'
                    || c == '-'
                    || c == '_'
                    || c == '.';
        }
        if (!plain) {
            throw new IllegalArgumentException(
                    "Cannot create file '" + name
                            + "' of a base: its name may have only letters, digits, '-', '_' and '.', and must not begin with '.'");
        }
        return name;
    }
}
