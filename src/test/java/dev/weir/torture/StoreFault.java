package dev.weir.torture;

/** What the object store does for a while. */
enum StoreFault {
    /** It refuses every other request. */
    ERRORS,
    /** Each request takes 300 ms longer. */
    SLOW,
    /** Requests do not come back before it is over, and have failed then. */
    HANGING,
    /** A byte of what is read is another one. */
    CORRUPT,
    /** It refuses every request, for longer than a delta may take. */
    AWAY
}
