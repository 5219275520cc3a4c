package dev.weir.autoconfigure;

import dev.weir.status.StatusSource;

/** What runs a plan in this process. */
interface ServiceRuntime extends AutoCloseable {

    /** What runs. */
    StatusSource status();

    /** Commits, hands over and closes everything; returns when it is done. */
    @Override
    void close();

    /** Starts a runtime. */
    @FunctionalInterface
    interface Starter {

        /**
         * Starts what the plan says and returns at once.
         *
         * @throws dev.weir.failure.WeirException if it cannot be started; nothing is left running then
         */
        ServiceRuntime start(ServicePlan plan);
    }
}
