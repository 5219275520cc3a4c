package dev.weir.testkit;

import dev.weir.time.Background;
import dev.weir.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** Background work of one actor, run on the one thread of a simulation: a piece at a time, whenever the simulation picks it. */
public final class SimulatedBackground implements Background {

    private final Clock clock;
    private final RandomGenerator random;
    private final Blocked blocked;
    private final Map<String, Lane> lanes = new LinkedHashMap<>();
    private final Deque<Runnable> mailbox = new ArrayDeque<>();
    private boolean closed;

    /** What else may happen while an actor waits. */
    @FunctionalInterface
    interface Blocked {

        /** Lets one thing happen; the clock must not pass the deadline. */
        void happen(SimulatedBackground waiting, long deadlineMillis);
    }

    SimulatedBackground(Clock clock, RandomGenerator random, Blocked blocked) {
        this.clock = clock;
        this.random = random;
        this.blocked = blocked;
    }

    /** Without a simulation around it: while its owner waits, its work is run, or else the clock moves. */
    public static SimulatedBackground standalone(ManualClock clock, RandomGenerator random) {
        return new SimulatedBackground(clock, random, (waiting, deadlineMillis) -> {
            if (!waiting.runOne()) {
                clock.advanceMillis(Math.max(1, deadlineMillis - clock.millis()));
            }
        });
    }

    private static final class Lane {
        private final Deque<Piece<?>> queue = new ArrayDeque<>();
        private boolean busy;

        private boolean canRun() {
            return !busy && !queue.isEmpty();
        }
    }

    private final class Piece<T> implements Job, Cancellation {
        private final Lane lane;
        private final Work<T> work;
        private final Consumer<T> done;
        private final Consumer<Throwable> failed;
        private boolean cancelled;

        private Piece(Lane lane, Work<T> work, Consumer<T> done, Consumer<Throwable> failed) {
            this.lane = lane;
            this.work = work;
            this.done = done;
            this.failed = failed;
        }

        @Override
        public void cancel() {
            cancelled = true;
            boolean mayHaveBegun = lane.queue.peek() == this && random.nextBoolean();
            if (!mayHaveBegun) {
                lane.queue.remove(this);
            }
        }

        @Override
        public boolean requested() {
            return cancelled;
        }

        private void run() {
            try {
                T result = work.run(this);
                arrive(() -> done.accept(result));
            } catch (Exception e) {
                arrive(() -> failed.accept(e));
            }
        }

        private void arrive(Runnable outcome) {
            mailbox.add(() -> {
                if (!cancelled) {
                    outcome.run();
                }
            });
        }
    }

    @Override
    public <T> Job submit(String lane, Work<T> work, Consumer<T> done, Consumer<Throwable> failed) {
        if (closed) {
            throw new IllegalStateException("Cannot submit work on lane " + lane + ": the background was closed");
        }
        var in = lanes.computeIfAbsent(lane, name -> new Lane());
        var piece = new Piece<>(in, work, done, failed);
        in.queue.add(piece);
        return piece;
    }

    @Override
    public void post(Runnable event) {
        mailbox.add(event);
    }

    /** Whether there is work that could be run now. */
    public boolean hasPending() {
        for (var lane : lanes.values()) {
            if (lane.canRun()) {
                return true;
            }
        }
        return false;
    }

    /** Whether something has arrived that was not delivered yet. */
    public boolean hasArrived() {
        return !mailbox.isEmpty();
    }

    /** Runs the next piece of a random lane; false if there is none. */
    public boolean runOne() {
        Lane chosen = null;
        int seen = 0;
        for (var lane : lanes.values()) {
            if (lane.canRun() && random.nextInt(++seen) == 0) {
                chosen = lane;
            }
        }
        if (chosen == null) {
            return false;
        }
        chosen.busy = true;
        try {
            chosen.queue.remove().run();
        } finally {
            chosen.busy = false;
        }
        return true;
    }

    @Override
    public int deliver() {
        int count = mailbox.size();
        for (int i = 0; i < count && !mailbox.isEmpty(); i++) {
            mailbox.remove().run();
        }
        return count;
    }

    @Override
    public int await(Duration atMost) {
        long deadline = clock.millis() + atMost.toMillis();
        while (mailbox.isEmpty() && clock.millis() < deadline) {
            blocked.happen(this, deadline);
        }
        return deliver();
    }

    @Override
    public void close() {
        closed = true;
        drop();
    }

    void drop() {
        lanes.values().forEach(lane -> lane.queue.clear());
        mailbox.clear();
    }
}
