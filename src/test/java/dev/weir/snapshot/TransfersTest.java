package dev.weir.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TransfersTest {

    private static final List<Integer> ITEMS = IntStream.range(0, 100).boxed().toList();

    private final ExecutorService pool = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    @Test
    void transfersRunBesideEachOther() {
        var together = new CyclicBarrier(4);

        Transfers.parallel(pool, 4).forEach(ITEMS, () -> false, item -> meet(together));

        assertThat(together.isBroken()).isFalse();
    }

    @Test
    void anExecutorThatRefusesOrNeverRunsOnlyMakesItSlower() {
        var done = new ConcurrentSkipListSet<Integer>();
        Transfers.parallel(
                        task -> {
                            throw new RejectedExecutionException();
                        },
                        4)
                .forEach(ITEMS, () -> false, done::add);
        assertThat(done).containsExactlyElementsOf(ITEMS);

        done.clear();
        Transfers.parallel(task -> {}, 4).forEach(ITEMS, () -> false, done::add);
        assertThat(done).containsExactlyElementsOf(ITEMS);
    }

    @Test
    void theFailureIsThrownOnlyWhenNoTransferRunsAnyMore() {
        var otherRuns = new CountDownLatch(1);
        var failed = new CountDownLatch(1);
        var otherEnded = new AtomicBoolean();

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> Transfers.parallel(pool, 2).forEach(List.of(0, 1, 2, 3), () -> false, item -> {
                    if (otherRuns.getCount() == 1 && claim(otherRuns)) {
                        await(failed);
                        otherEnded.set(true);
                    } else {
                        failed.countDown();
                        throw new IllegalStateException("item " + item);
                    }
                }));

        assertThat(otherEnded).isTrue();
    }

    @Test
    void nothingBeginsAfterACancellation() {
        var done = new ConcurrentSkipListSet<Integer>();

        assertThatExceptionOfType(CancellationException.class)
                .isThrownBy(() -> Transfers.sequential().forEach(ITEMS, () -> done.size() == 3, done::add));

        assertThat(done).containsExactly(0, 1, 2);
    }

    @Test
    void aBoundBelowOneIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Transfers.parallel(pool, 0));
    }

    private static synchronized boolean claim(CountDownLatch latch) {
        boolean mine = latch.getCount() == 1;
        latch.countDown();
        return mine;
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
