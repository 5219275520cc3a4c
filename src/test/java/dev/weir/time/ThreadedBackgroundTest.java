package dev.weir.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ThreadedBackgroundTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final ThreadedBackground background = new ThreadedBackground("test");
    private final List<Object> outcomes = new ArrayList<>();

    @AfterEach
    void close() {
        background.close();
    }

    private <T> Background.Job submit(String lane, Background.Work<T> work) {
        return background.submit(lane, work, outcomes::add, outcomes::add);
    }

    /** Has everything that the lane was given before come to its end; its outcomes may be delivered or not. */
    private void passLane(String lane) throws InterruptedException {
        var passed = new CountDownLatch(1);
        background.submit(
                lane,
                cancellation -> {
                    passed.countDown();
                    return 0;
                },
                outcome -> {},
                failure -> {});
        await(passed);
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    }

    private void awaitOutcomes(int number) {
        while (outcomes.size() < number) {
            assertThat(background.await(LONG)).isPositive();
        }
    }

    @Test
    void aLaneDoesOnePieceAtATimeAndInOrder() {
        var inside = new AtomicInteger();
        var order = new ConcurrentLinkedQueue<Integer>();
        for (int i = 0; i < 200; i++) {
            int number = i;
            submit("lane", cancellation -> {
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                order.add(number);
                inside.decrementAndGet();
                return number;
            });
        }

        awaitOutcomes(200);

        assertThat(order)
                .containsExactlyElementsOf(IntStream.range(0, 200).boxed().toList());
        assertThat(outcomes).isEqualTo(List.copyOf(order));
    }

    @Test
    void lanesWorkBesideEachOther() {
        var together = new CyclicBarrier(3);
        for (var lane : List.of("a", "b", "c")) {
            submit(lane, cancellation -> {
                together.await(20, TimeUnit.SECONDS);
                return lane;
            });
        }

        awaitOutcomes(3);

        assertThat(outcomes).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void anOutcomeArrivesOnTheOwnersThreadAndOnlyWhenItAsks() throws Exception {
        var owner = Thread.currentThread();
        background.submit(
                "lane",
                cancellation -> Thread.currentThread(),
                worker -> {
                    assertThat(worker).isNotSameAs(owner);
                    outcomes.add(Thread.currentThread());
                },
                outcomes::add);
        passLane("lane");
        assertThat(outcomes).isEmpty();

        background.deliver();

        assertThat(outcomes).containsExactly(owner);
    }

    @Test
    void whatTheWorkThrowsArrivesAsItsFailureAndTheLaneGoesOn() {
        var failure = new IOException("broken");
        var error = new StackOverflowError();
        submit("lane", cancellation -> {
            throw failure;
        });
        submit("lane", cancellation -> {
            throw error;
        });
        submit("lane", cancellation -> "fine");

        awaitOutcomes(3);

        assertThat(outcomes).containsExactly(failure, error, "fine");
    }

    @Test
    void aPieceThatIsCancelledBeforeItBeginsIsNeverDone() throws Exception {
        var go = new CountDownLatch(1);
        var done = new AtomicBoolean();
        submit("lane", cancellation -> go.await(20, TimeUnit.SECONDS));
        var job = submit("lane", cancellation -> {
            done.set(true);
            return "late";
        });

        job.cancel();
        go.countDown();
        passLane("lane");
        background.deliver();

        assertThat(done).isFalse();
        assertThat(outcomes).containsExactly(true);
    }

    @Test
    void aPieceThatIsCancelledWhileItRunsLearnsOfItAndItsOutcomeIsDropped() throws Exception {
        var begun = new CountDownLatch(1);
        var cancelled = new CountDownLatch(1);
        var noticed = new AtomicBoolean();
        var job = submit("lane", cancellation -> {
            assertThat(cancellation.requested()).isFalse();
            begun.countDown();
            await(cancelled);
            noticed.set(cancellation.requested());
            throw new IOException("given up");
        });
        await(begun);

        job.cancel();
        cancelled.countDown();
        passLane("lane");
        background.deliver();

        assertThat(noticed).isTrue();
        assertThat(outcomes).isEmpty();
    }

    @Test
    void aPieceThatIsCancelledAfterItEndedButBeforeItsOutcomeArrivedIsDroppedToo() throws Exception {
        var job = submit("lane", cancellation -> "ended");
        passLane("lane");

        job.cancel();
        background.deliver();

        assertThat(outcomes).isEmpty();
    }

    @Test
    void whatOthersPostRunsInTheirOrderOnTheOwnersThread() throws Exception {
        var other = new Thread(() -> {
            for (int i = 0; i < 100; i++) {
                int number = i;
                background.post(() -> outcomes.add(number));
            }
        });
        other.start();
        other.join();
        assertThat(outcomes).isEmpty();

        assertThat(background.deliver()).isEqualTo(100);

        assertThat(outcomes)
                .isEqualTo(IntStream.range(0, 100)
                        .mapToObj(number -> (Object) number)
                        .toList());
        assertThat(background.deliver()).isZero();
    }

    @Test
    void waitingEndsAsSoonAsSomethingIsPosted() throws Exception {
        var other = new Thread(() -> background.post(() -> outcomes.add("woken")));
        other.start();

        assertThat(background.await(LONG)).isEqualTo(1);

        other.join();
        assertThat(outcomes).containsExactly("woken");
        assertThat(background.await(Duration.ZERO)).as("nothing more to come").isZero();
    }

    @Test
    void anInterruptEndsTheWaitAndStaysSet() {
        Thread.currentThread().interrupt();

        assertThat(background.await(LONG)).isZero();

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void closingWaitsForWhatRunsAndDropsTheRest() throws Exception {
        var begun = new CountDownLatch(1);
        var closing = new CountDownLatch(1);
        var ended = new AtomicBoolean();
        var second = new AtomicBoolean();
        submit("lane", cancellation -> {
            begun.countDown();
            await(closing);
            while (!cancellation.requested()) {
                Thread.onSpinWait();
            }
            ended.set(true);
            return "first";
        });
        submit("lane", cancellation -> {
            second.set(true);
            return "second";
        });
        await(begun);
        closing.countDown();

        background.close();

        assertThat(ended).as("it was waited for").isTrue();
        assertThat(second).isFalse();
        background.deliver();
        assertThat(outcomes).isEmpty();
    }

    @Test
    void whatIsSubmittedAfterTheCloseIsNeverDone() {
        var done = new AtomicBoolean();
        background.close();

        submit("lane", cancellation -> {
            done.set(true);
            return "late";
        });

        background.close();
        background.deliver();
        assertThat(done).isFalse();
        assertThat(outcomes).isEmpty();
    }

    @Test
    void closingWhileLanesAreBusyLosesNoThreadToAnException() throws Exception {
        for (int round = 0; round < 200; round++) {
            var busy = new ThreadedBackground("round");
            var escaped = new ConcurrentLinkedQueue<Throwable>();
            var running = new CountDownLatch(2);
            for (int i = 0; i < 20; i++) {
                busy.submit(
                        "lane" + i % 2,
                        cancellation -> {
                            Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> escaped.add(e));
                            running.countDown();
                            return 0;
                        },
                        outcome -> {},
                        failure -> {});
            }
            await(running);

            busy.close();

            assertThat(escaped).isEmpty();
        }
    }
}
