package dev.weir.torture;

/** What the server of the object store does for a while. */
enum StoreFault {
    /** It answers two of three requests with 500 or 503. */
    ERRORS,
    /** Each request takes 300 ms longer. */
    SLOW,
    /** It answers nothing before it is over, and then hangs up. */
    HANGING,
    /** A bit of what is read is another one. */
    CORRUPT,
    /** It hangs up on every request, for longer than a delta may take. */
    AWAY,
    /** It does every other thing that it is asked to, and hangs up instead of saying so. */
    UNANSWERED
}
