package dev.weir.simulation;

/** A mistake that a worker or its adapters could make; each breaks a promise that the checkers must notice. */
enum Sabotage {
    /** None, for comparison. */
    NONE,
    /** A flush does nothing, so records of the next epoch may stand before those of this one. */
    NO_FLUSH,
    /** A commit carries no positions, so nobody checks who commits. */
    NO_POSITIONS,
    /** A commit does not say which member of which generation commits. */
    NO_MEMBER,
    /** A revocation is handled only after the next poll, when another member owns the partitions. */
    LATE_REVOKE,
    /** The commit of an epoch is reported at once and made after the next epoch's. */
    INVERTED_COMMITS,
    /** The first marker in any partition is taken for one in all of them. */
    CUT_AFTER_FIRST_MARKER,
    /** A commit is reported before it is made, and may fail or be lost with the process. */
    EARLY_COMMITTED
}
