package dev.weir.testkit;

import java.time.Duration;

/**
 * How the brokers and the clients are set.
 *
 * @param sessionTimeout after how long without a heartbeat a member is dropped from its group
 * @param maxPollInterval after how long without a poll a member stops its heartbeats, and how long a rebalance waits for members
 * @param transactionTimeout after how long an open transaction is aborted
 * @param maxPollRecords how many records of one partition a poll returns at most
 */
public record BrokerSettings(
        Duration sessionTimeout, Duration maxPollInterval, Duration transactionTimeout, int maxPollRecords) {

    /** 6 s, 20 s, 15 s, 500 records. */
    public static BrokerSettings defaults() {
        return new BrokerSettings(Duration.ofSeconds(6), Duration.ofSeconds(20), Duration.ofSeconds(15), 500);
    }

    /** These settings with another number of records. */
    public BrokerSettings withMaxPollRecords(int records) {
        return new BrokerSettings(sessionTimeout, maxPollInterval, transactionTimeout, records);
    }
}
