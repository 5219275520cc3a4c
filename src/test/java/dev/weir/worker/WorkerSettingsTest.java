package dev.weir.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.weir.failure.ConfigurationException;
import dev.weir.snapshot.Pointer;
import dev.weir.worker.WorkerSettings.BasePolicy;
import dev.weir.worker.WorkerSettings.OnError;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerSettingsTest {

    /** Sound settings, of which a test changes what it is about. */
    private static final class Draft {
        String domain = "flights";
        String instance = "pod-0";
        int concurrency = 1;
        Duration alignment = Duration.ofSeconds(10);

        @Nullable
        Duration commit;

        Duration transaction = Duration.ofSeconds(60);
        Duration maxPoll = Duration.ofMinutes(5);
        long overlayBytes = 1;
        long cacheBytes;
        int recordsPerStep = 1;
        Duration poll = Duration.ofMillis(100);

        WorkerSettings build() {
            return new WorkerSettings(
                    domain,
                    instance,
                    concurrency,
                    new WorkerSettings.StartFrom.Earliest(),
                    alignment,
                    commit,
                    transaction,
                    maxPoll,
                    overlayBytes,
                    cacheBytes,
                    recordsPerStep,
                    poll,
                    BasePolicy.defaults(),
                    new OnError.Stop(),
                    WorkerSettings.Departure.STAY_MEMBER);
        }

        void isRefused(String sentence) {
            assertThatExceptionOfType(ConfigurationException.class)
                    .isThrownBy(this::build)
                    .withMessage("Cannot start the workers: " + sentence);
        }
    }

    private final Draft draft = new Draft();

    @Test
    void theSmallestSoundSettingsAreAccepted() {
        draft.alignment = Duration.ofSeconds(20);
        assertThatNoException().isThrownBy(draft::build);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void thereIsAtLeastOneThread(int concurrency) {
        draft.concurrency = concurrency;
        draft.isRefused("concurrency is " + concurrency + ", it must be at least 1");
    }

    @Test
    void uncommittedStateNeedsRoom() {
        draft.overlayBytes = 0;
        draft.isRefused("the bound on uncommitted state is 0 bytes, it must be positive");
    }

    @Test
    void aStepProcessesAtLeastOneRecord() {
        draft.recordsPerStep = 0;
        draft.isRefused("records per step is 0, it must be at least 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S"})
    void durationsThatMustPassAreRefusedIfTheyDoNot(Duration duration) {
        draft.commit = duration;
        draft.isRefused("the commit interval is " + duration + ", it must be positive");

        draft.commit = null;
        draft.maxPoll = duration;
        draft.isRefused("the maximum poll interval is " + duration + ", it must be positive");

        draft.maxPoll = Duration.ofMinutes(5);
        draft.poll = duration;
        draft.isRefused("the poll time is " + duration + ", it must be positive");
    }

    @Test
    void aTransactionThatMayNotLastIsRefused() {
        draft.transaction = Duration.ZERO;
        draft.alignment = Duration.ZERO;
        draft.isRefused("the transaction timeout is PT0S, it must be positive");
    }

    @Test
    void anAlignmentMayTakeNoTimeButNotLess() {
        draft.alignment = Duration.ZERO;
        assertThatNoException().isThrownBy(draft::build);

        draft.alignment = Duration.ofMillis(-1);
        draft.isRefused("the alignment timeout is PT-0.001S, it must not be negative");
    }

    @Test
    void anAlignmentEndsBeforeItsEpochHasTo() {
        draft.alignment = Duration.ofMillis(20_001);
        draft.isRefused("the alignment timeout PT20.001S is longer than a third of the transaction timeout PT1M,"
                + " after which an epoch has to end");
    }

    @Test
    void allThatIsWrongIsSaidAtOnce() {
        draft.concurrency = 0;
        draft.recordsPerStep = 0;
        draft.isRefused("concurrency is 0, it must be at least 1; records per step is 0, it must be at least 1");
    }

    @Test
    void aSlotsNameIsStableAndItsIdsFollowFromIt() {
        var settings = draft.build();

        assertThat(settings.slot("delays", 2)).isEqualTo("flights.delays.pod-0.2");
        assertThat(settings.group("delays")).isEqualTo("flights.delays");
        assertThat(settings.transactionalIds("flights.delays.pod-0.2"))
                .containsExactly("flights.delays.pod-0.2.0", "flights.delays.pod-0.2.1");
    }

    @Test
    void aSlotWhosePointersWouldNotFitIsRefused() {
        int others = "flights.delays..0".length();
        draft.instance = "i".repeat(Pointer.MAX_SLOT_LENGTH - others);
        assertThat(draft.build().slot("delays", 0)).hasSize(Pointer.MAX_SLOT_LENGTH);

        draft.instance += "i";
        var tooLong = draft.build();
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> tooLong.slot("delays", 0))
                .withMessageStartingWith("Cannot start processor delays: its slot flights.delays.iii")
                .withMessageContaining(" has " + (Pointer.MAX_SLOT_LENGTH + 1) + " characters, at most "
                        + Pointer.MAX_SLOT_LENGTH + " fit")
                .withMessageEndingWith("use a shorter domain, processor or instance name");
    }

    @ParameterizedTest
    @CsvSource({"PT5M, PT10S", "PT30S, PT10S", "PT27S, PT9S", "PT0.3S, PT0.1S"})
    void aRevokeTakesAThirdOfThePollIntervalAndAtMostTenSeconds(Duration maxPoll, Duration deadline) {
        draft.maxPoll = maxPoll;
        assertThat(draft.build().revokeDeadline()).isEqualTo(deadline);
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1", "-1, 1, 1", "NaN, 1, 1", "0.5, -1, 1", "0.5, 1, 0"})
    void aBasePolicyThatCannotBeMeantIsRefused(double share, long minBytes, int maxDeltas) {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> new BasePolicy(share, minBytes, maxDeltas))
                .withMessage("Cannot take bases with share " + share + ", " + minBytes + " bytes and " + maxDeltas
                        + " deltas: share and deltas must be positive, bytes not negative");
    }

    @ParameterizedTest
    @CsvSource({
        "1000, 500, 1, true", // half of the base
        "1000, 499, 1, false",
        "0, 100, 1, true", // no base yet
        "0, 99, 1, false", // too little to count
        "1000000, 1, 10, true", // too many
        "1000000, 1, 9, false"
    })
    void aBaseIsDueByShareOrByNumber(long baseBytes, long deltaBytes, int deltas, boolean due) {
        assertThat(new BasePolicy(0.5, 100, 10).isDue(baseBytes, deltaBytes, deltas))
                .isEqualTo(due);
    }

    @Test
    void withoutDeltasNoBaseIsDue() {
        assertThat(new BasePolicy(0.5, 0, 10).isDue(0, 0, 0)).isFalse();
    }
}
