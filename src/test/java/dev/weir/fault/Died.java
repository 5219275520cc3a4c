package dev.weir.fault;

/** Ends whatever a dead service is still doing; no part of a service can catch it as a failure of its own. */
final class Died extends Error {

    private static final long serialVersionUID = 1;

    Died() {
        super("This service has been killed", null, false, false);
    }
}
