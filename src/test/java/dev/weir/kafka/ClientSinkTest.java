package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.api.Headers;
import dev.weir.failure.ConfigurationException;
import dev.weir.failure.FencedException;
import dev.weir.failure.TransientException;
import dev.weir.kafka.TransactionalSink.CommitOutcome;
import dev.weir.time.Clock;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How errors of the client's producer become outcomes; against the producer without brokers that comes with the client. */
class ClientSinkTest {

    private static final Map<TopicPartition, CommittedPosition> POSITIONS =
            Map.of(new TopicPartition("t", 0), new CommittedPosition(3, "p"));
    private static final GroupMember MEMBER =
            new ClientGroupMember(new ConsumerGroupMetadata("g", 4, "m", Optional.of("i")));

    private final Ticking clock = new Ticking();
    private Failing producer = new Failing();
    private ClientSink sink = sink(producer);

    @BeforeEach
    void begin() {
        producer = new Failing();
        producer.initTransactions();
        sink = sink(producer);
        sink.begin();
    }

    private ClientSink sink(Failing failing) {
        return new ClientSink(failing, "tx", 1_000, Duration.ofSeconds(10), clock);
    }

    @Test
    void positionsAndTransactionAreCommitted() {
        assertThat(sink.commit(POSITIONS, MEMBER)).isInstanceOf(CommitOutcome.Committed.class);
        assertThat(producer.transactionCommitted()).isTrue();
        assertThat(producer.consumerGroupOffsetsHistory()).hasSize(1);
    }

    @Test
    void aCommitThatTimesOutIsTriedAgain() {
        producer.timeouts = 3;
        assertThat(sink.commit(POSITIONS, MEMBER)).isInstanceOf(CommitOutcome.Committed.class);
        assertThat(producer.commits).isEqualTo(4);
    }

    @Test
    void aCommitThatTimesOutUntilTheDeadlineIsUnknown() {
        producer.timeouts = Integer.MAX_VALUE;
        assertThat(sink.commit(POSITIONS, MEMBER)).isInstanceOf(CommitOutcome.Unknown.class);
        assertThat(producer.commits).isBetween(5, 20);
    }

    @Test
    void anInterruptNeitherEndsTheCommitNorIsItLost() {
        producer.interrupts = 1;
        assertThat(sink.commit(POSITIONS, MEMBER)).isInstanceOf(CommitOutcome.Committed.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void anyOtherErrorOfTheCommitIsUnknown() {
        for (var error : new RuntimeException[] {
            new ProducerFencedException("x"), new InvalidTxnStateException("x"), new KafkaException("x")
        }) {
            begin();
            producer.commitTransactionException = error;
            assertThat(sink.commit(POSITIONS, MEMBER)).as(error.toString()).isInstanceOf(CommitOutcome.Unknown.class);
        }
    }

    @Test
    void anyErrorOfThePositionsMeansThatNothingIsCommitted() {
        for (var error : new RuntimeException[] {
            new ProducerFencedException("x"), new CommitFailedException("x"), new TimeoutException("x")
        }) {
            begin();
            producer.sendOffsetsToTransactionException = error;
            assertThat(sink.commit(POSITIONS, MEMBER))
                    .as(error.toString())
                    .isInstanceOf(CommitOutcome.NotCommitted.class);
            assertThat(producer.commits).isZero();
        }
    }

    @Test
    void aRecordThatWasNotWrittenPreventsTheCommit() {
        sink.send(new Output("t", null, new byte[1], Headers.none(), -1));
        producer.errorNext(new TimeoutException("late"));
        producer.flushes = false;

        assertThatThrownBy(sink::flush).isInstanceOf(TransientException.class).hasMessageContaining("late");
        assertThat(sink.commit(POSITIONS, MEMBER)).isInstanceOf(CommitOutcome.NotCommitted.class);
        assertThat(producer.commits).isZero();
    }

    @Test
    void theFirstFailureOfASendSaysWhatTheFlushThrows() {
        for (int i = 0; i < 2; i++) {
            sink.send(new Output("t", null, new byte[1], Headers.none(), -1));
        }
        producer.errorNext(new TopicAuthorizationException("t"));
        producer.errorNext(new ProducerFencedException("later"));

        assertThatThrownBy(sink::flush).isInstanceOf(ConfigurationException.class);
        begin();
        sink.send(new Output("t", null, new byte[1], Headers.none(), -1));
        producer.errorNext(new ProducerFencedException("now"));
        assertThatThrownBy(sink::flush).isInstanceOf(FencedException.class);
    }

    @Test
    void aRecordIsMeasuredBeforeItIsSent() {
        var fits = new Output("t", new byte[100], new byte[500], Headers.none().with("h", "v"), -1);
        assertThat(fits.sizeBound()).isBetween(602, 750);
        var not = new Output("t", null, new byte[990], Headers.none(), -1);
        assertThatThrownBy(() -> sink.send(not))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("1000");
        assertThat(producer.history()).isEmpty();
    }

    /** Fails as often as it is told to. */
    private final class Failing extends MockProducer<byte[], byte[]> {
        int timeouts;
        int interrupts;
        int commits;
        boolean flushes = true;

        Failing() {
            super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public synchronized void flush() {
            if (flushes) {
                super.flush();
            }
        }

        @Override
        public void commitTransaction() {
            commits++;
            if (timeouts > 0) {
                timeouts--;
                clock.nanos += Duration.ofSeconds(1).toNanos();
                throw new TimeoutException("no answer");
            }
            if (interrupts > 0) {
                interrupts--;
                throw new InterruptException("stop");
            }
            super.commitTransaction();
        }
    }

    private static final class Ticking implements Clock {
        long nanos;

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public long nanos() {
            return nanos;
        }
    }
}
