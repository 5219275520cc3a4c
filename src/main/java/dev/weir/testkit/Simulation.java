package dev.weir.testkit;

import dev.weir.testkit.FaultPlan.Fault;
import dev.weir.testkit.SimulatedProcess.Runner;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Processes, their Kafka and their clock, moved on in one thread. Every choice (who steps, what arrives, how time passes, what breaks)
 * comes from one seed, so the same seed gives the same run.
 *
 * <p>What runs in it must keep to the clock, the background work, the tokens, the Kafka and the store that its process hands out, and
 * must not iterate over collections whose order differs from run to run.
 */
public final class Simulation {

    private static final int DEEPEST = 2;
    private static final int TRACE_SHOWN = 60;

    private final long seed;
    private final RandomGenerator random;
    private final ManualClock clock = new ManualClock();
    private final InMemoryKafka kafka;
    private final Tempo tempo;
    private final Trace trace = new Trace();
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private FaultPlan plan;
    private int depth;
    private long steps;
    private @Nullable Throwable failure;

    /** A simulation with the default tempo and brokers. */
    public Simulation(long seed, FaultPlan plan) {
        this(seed, plan, Tempo.defaults(), BrokerSettings.defaults().withMaxPollRecords(8));
    }

    /** A simulation. */
    public Simulation(long seed, FaultPlan plan, Tempo tempo, BrokerSettings brokers) {
        this.seed = seed;
        this.plan = plan;
        this.tempo = tempo;
        this.random = new SplittableRandom(seed);
        this.kafka = InMemoryKafka.unkind(clock, brokers, random);
    }

    /**
     * How often each kind of thing happens, as weights, and by how much time passes.
     *
     * @param actors an actor steps
     * @param jobs a piece of background work is run
     * @param kafka something arrives in Kafka
     * @param time the clock moves
     * @param shortMillis by how much it moves at most, usually
     * @param longMillis by how much it moves at most, one time in thirty
     */
    public record Tempo(int actors, int jobs, int kafka, int time, int shortMillis, int longMillis) {

        /** 50 : 25 : 20 : 5, up to 40 ms, up to 2 s. */
        public static Tempo defaults() {
            return new Tempo(50, 25, 20, 5, 40, 2_000);
        }
    }

    /** The clock of all processes. */
    public ManualClock clock() {
        return clock;
    }

    /** The Kafka of all processes. */
    public InMemoryKafka kafka() {
        return kafka;
    }

    /** Where all choices come from; for a workload's choices too. */
    public RandomGenerator random() {
        return random;
    }

    /** The seed. */
    public long seed() {
        return seed;
    }

    /** How many steps were made. */
    public long steps() {
        return steps;
    }

    /** A number that is equal for equal runs. */
    public long traceHash() {
        return trace.hash();
    }

    /** The last events, oldest first. */
    public List<String> trace(int most) {
        return trace.last(most);
    }

    /** Notes something in the trace. */
    public void note(String event, String subject, long number) {
        trace.add(clock.millis(), event, subject, number);
    }

    /** Adds a process and starts it; {@code start} adds its actors, at each start anew. */
    public SimulatedProcess addProcess(String name, Consumer<SimulatedProcess> start) {
        var process = new SimulatedProcess(this, name, start);
        processes.add(process);
        begin(process);
        return process;
    }

    /** Makes so many steps. */
    public void run(int count) {
        for (int i = 0; i < count; i++) {
            step();
        }
    }

    /** Makes steps until the condition holds, at most so many; whether it holds. The condition is asked after every tenth step. */
    public boolean runUntil(BooleanSupplier condition, int most) {
        for (int i = 0; i < most; i++) {
            if (i % 10 == 0 && condition.getAsBoolean()) {
                return true;
            }
            step();
        }
        return condition.getAsBoolean();
    }

    /** From now on nothing goes wrong: frozen processes go on, dead ones are started. */
    public void heal() {
        plan = FaultPlan.none();
        for (var process : processes) {
            if (process.isFrozen()) {
                process.thaw();
            }
            if (!process.isAlive()) {
                begin(process);
            }
        }
    }

    /** Changes what goes wrong from now on. */
    public void plan(FaultPlan next) {
        plan = next;
    }

    /** Kills a process, which stays dead until {@link #start}, {@link #heal} or chance. */
    public void kill(SimulatedProcess process) {
        note("kill", process.name(), 0);
        process.kill();
    }

    /** Starts a dead process. */
    public void start(SimulatedProcess process) {
        if (process.isAlive()) {
            throw new IllegalStateException("Cannot start " + process.name() + ": it is alive");
        }
        begin(process);
    }

    /** Makes a process stand still for a time. */
    public void freeze(SimulatedProcess process, long millis) {
        note("freeze", process.name(), millis);
        process.freeze(clock.millis() + millis);
    }

    private void begin(SimulatedProcess process) {
        note("start", process.name(), process.starts() + 1L);
        guarded(process, "start of " + process.name(), process::begin);
    }

    // ---- one step

    /** Makes one step. */
    public void step() {
        steps++;
        mishaps();
        happen(Long.MAX_VALUE);
    }

    private void mishaps() {
        for (var process : processes) {
            if (!process.isAlive()) {
                if (happens(Fault.RESTART)) {
                    begin(process);
                }
            } else if (process.isDueToThaw(clock.millis())) {
                note("thaw", process.name(), 0);
                process.thaw();
            }
        }
        if (happens(Fault.CRASH)) {
            var process = anyRunning();
            if (process != null) {
                kill(process);
            }
        }
        if (happens(Fault.FREEZE)) {
            var process = anyRunning();
            if (process != null) {
                freeze(
                        process,
                        1 + random.nextLong(Math.max(1, plan.longestFreeze().toMillis())));
            }
        }
    }

    private @Nullable SimulatedProcess anyRunning() {
        SimulatedProcess chosen = null;
        int seen = 0;
        for (var process : processes) {
            if (process.isRunning() && random.nextInt(++seen) == 0) {
                chosen = process;
            }
        }
        return chosen;
    }

    private void happen(long deadlineMillis) {
        int roll = random.nextInt(tempo.actors() + tempo.jobs() + tempo.kafka() + tempo.time());
        if (roll < tempo.actors() && stepOne()) {
            return;
        }
        if (roll < tempo.actors() + tempo.jobs() && workOne()) {
            return;
        }
        if (roll < tempo.actors() + tempo.jobs() + tempo.kafka() && kafka.progress()) {
            note("arrive", "kafka", 0);
            return;
        }
        passTime(deadlineMillis);
    }

    private boolean stepOne() {
        Runner chosen = null;
        int seen = 0;
        for (var process : processes) {
            if (process.isRunning()) {
                for (var runner : process.runners()) {
                    if (runner.canStep() && random.nextInt(++seen) == 0) {
                        chosen = runner;
                    }
                }
            }
        }
        if (chosen == null) {
            return false;
        }
        note("step", chosen.name(), 0);
        guarded(chosen.process(), "step of " + chosen.name(), chosen::step);
        return true;
    }

    private boolean workOne() {
        Runner chosen = null;
        int seen = 0;
        for (var process : processes) {
            if (process.isRunning()) {
                for (var runner : process.runners()) {
                    if (runner.canWork() && random.nextInt(++seen) == 0) {
                        chosen = runner;
                    }
                }
            }
        }
        if (chosen == null) {
            return false;
        }
        note("work", chosen.name(), 0);
        guarded(chosen.process(), "work of " + chosen.name(), chosen::work);
        return true;
    }

    private void passTime(long deadlineMillis) {
        boolean longStep = random.nextInt(30) == 0;
        long most = longStep ? tempo.longMillis() : tempo.shortMillis();
        long millis = Math.min(1 + random.nextLong(most), Math.max(1, deadlineMillis - clock.millis()));
        clock.advanceMillis(millis);
        note("time", "clock", millis);
        kafka.tick();
    }

    /** Runs code of a process; a crash of that process ends here, any other failure ends the simulation. */
    private void guarded(SimulatedProcess process, String what, Runnable code) {
        try {
            code.run();
        } catch (SimulatedCrash crash) {
            if (!crash.process().equals(process.name())) {
                throw crash;
            }
        } catch (SimulationFailed failed) {
            throw failed;
        } catch (RuntimeException | Error e) {
            throw fail(what, e);
        }
        if (failure != null && depth == 0) {
            throw fail(what, failure);
        }
    }

    private SimulationFailed fail(String what, Throwable cause) {
        failure = cause;
        return new SimulationFailed(
                "Seed " + seed + " failed at step " + steps + " in the " + what + ": " + cause + "\n"
                        + String.join("\n", trace.last(TRACE_SHOWN)),
                cause);
    }

    // ---- in the middle of something

    boolean happens(Fault fault) {
        double probability = plan.of(fault);
        return probability > 0 && random.nextDouble() < probability;
    }

    void reach(SimulatedProcess process, String point) {
        if (happens(Fault.CRASH_AT_EFFECT)) {
            note("kill at " + point, process.name(), 0);
            process.kill();
        } else if (depth < DEEPEST && happens(Fault.STALL_AT_EFFECT)) {
            stall(process, point);
        }
    }

    private void stall(SimulatedProcess process, String point) {
        if (process.isFrozen()) {
            return;
        }
        note("stall at " + point, process.name(), 0);
        process.freeze(Long.MAX_VALUE);
        depth++;
        try {
            int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 300 : 30);
            for (int i = 0; i < count && process.isAlive(); i++) {
                happen(Long.MAX_VALUE);
            }
        } finally {
            depth--;
        }
        if (process.isAlive()) {
            process.thaw();
        }
        note("go on at " + point, process.name(), 0);
    }

    void whileBlocked(Runner waiting, long deadlineMillis) {
        var process = waiting.process();
        if (happens(Fault.CRASH)) {
            kill(process);
        } else if (random.nextBoolean() && waiting.canWork()) {
            note("work while blocked", waiting.name(), 0);
            waiting.work();
        } else if (depth < DEEPEST) {
            depth++;
            try {
                happen(deadlineMillis);
            } finally {
                depth--;
            }
        } else if (random.nextInt(4) > 0 || !kafka.progress()) {
            passTime(deadlineMillis);
        }
        if (waiting.isDead()) {
            throw new SimulatedCrash(process.name());
        }
    }
}
