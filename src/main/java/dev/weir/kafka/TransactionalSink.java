package dev.weir.kafka;

import dev.weir.topology.TopicPartition;
import java.util.Map;

/**
 * A transactional producer. {@link #begin} and {@link #send} belong to one thread; {@link #flush} and then {@link #commit} may be
 * called from another one after the last record has been sent. After any failure it is of no use any more: close it and open a new one of the same id.
 */
public interface TransactionalSink extends AutoCloseable {

    /** Begins a transaction. */
    void begin();

    /** The largest record that may be sent, in bytes, and how large this one is; for a check before {@link #send}. */
    int maxRecordBytes();

    /** Hands a record to the producer, which sends it when it likes; a failure shows at {@link #flush} at the latest. */
    void send(Output output);

    /** Sends what is left and waits for all acknowledgements; throws what any of the sends since {@link #begin} failed with. */
    void flush();

    /**
     * Adds the positions to the transaction and commits it.
     *
     * @param positions never empty
     * @param member the membership with which the positions are committed
     */
    CommitOutcome commit(Map<TopicPartition, CommittedPosition> positions, GroupMember member);

    /** Closes at once. An open transaction stays open until another producer of the same id is opened. */
    @Override
    void close();

    /** How a commit ended. */
    sealed interface CommitOutcome {

        /** It is committed; its effects may become readable later. */
        record Committed() implements CommitOutcome {}

        /** It is not committed and never will be once a new producer of the same id has been opened. */
        record NotCommitted(String reason) implements CommitOutcome {}

        /** It may or may not be committed; known once a new producer of the same id has been opened and the group's positions are read. */
        record Unknown(String reason) implements CommitOutcome {}
    }
}
