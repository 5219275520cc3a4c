package dev.weir.testkit;

import dev.weir.snapshot.ObjectStore;
import dev.weir.testkit.FaultPlan.Fault;
import dev.weir.testkit.InMemoryKafkaCluster.Hazards;
import dev.weir.time.Background;
import dev.weir.time.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A process in a simulation. It is killed, frozen and started again; each start makes everything in it anew. What it is given here dies
 * with it.
 */
public final class SimulatedProcess {

    private final Simulation simulation;
    private final String name;
    private final Consumer<SimulatedProcess> start;
    private final List<Runner> runners = new ArrayList<>();
    private final List<InMemoryKafkaCluster> clusters = new ArrayList<>();
    private Life life;
    private long frozenUntilMillis;
    private boolean frozen;
    private int starts;

    SimulatedProcess(Simulation simulation, String name, Consumer<SimulatedProcess> start) {
        this.simulation = simulation;
        this.name = name;
        this.start = start;
        this.life = new Life();
        this.life.dead = true;
    }

    /** One life of the process; what belongs to an earlier life is dead even if the process was started again. */
    private final class Life implements Hazards {
        private boolean dead;

        @Override
        public boolean happens(Fault fault) {
            return simulation.happens(fault);
        }

        @Override
        public void reach(String point) {
            check();
            simulation.reach(SimulatedProcess.this, point);
            check();
        }

        @Override
        public String process() {
            return name;
        }

        private void check() {
            if (dead) {
                throw new SimulatedCrash(name);
            }
        }
    }

    /** An actor, its background work, or both. */
    static final class Runner {
        private final SimulatedProcess process;
        private final String name;
        private final SimulatedBackground background;
        private BooleanSupplier runnable = () -> false;
        private Runnable step = () -> {};
        private final Life life;
        private boolean onStack;

        private Runner(SimulatedProcess process, String name) {
            this.process = process;
            this.life = process.life;
            this.name = name;
            this.background = new SimulatedBackground(
                    process.simulation.clock(),
                    process.simulation.random(),
                    (waiting, deadline) -> process.simulation.whileBlocked(this, deadline));
        }

        String name() {
            return name;
        }

        SimulatedProcess process() {
            return process;
        }

        /** Whether the life that it belongs to is over, even if the process has begun another one. */
        boolean isDead() {
            return life.dead;
        }

        boolean canStep() {
            return !onStack && process.isRunning() && runnable.getAsBoolean();
        }

        boolean canWork() {
            return process.isRunning() && background.hasPending();
        }

        void step() {
            onStack = true;
            try {
                step.run();
            } finally {
                onStack = false;
            }
        }

        void work() {
            background.runOne();
        }
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** How often it was started, this time included. */
    public int starts() {
        return starts;
    }

    /** A client of the simulation's Kafka. */
    public InMemoryKafkaCluster cluster(String domain) {
        var cluster = simulation.kafka().connect(domain, life);
        clusters.add(cluster);
        return cluster;
    }

    /** This process's view of a store, with the simulation's faults. */
    public ObjectStore store(ObjectStore shared) {
        return new SimulatedObjectStore(shared, life);
    }

    /** Background work for the actor of this name, which may be added later. */
    public Background background(String actor) {
        return runner(actor).background;
    }

    /** Tokens from the simulation's seed. */
    public Tokens tokens() {
        return Tokens.from(simulation.random());
    }

    /** The clock of the simulation. */
    public ManualClock clock() {
        return simulation.clock();
    }

    /**
     * Adds an actor: something that the simulation moves on step by step.
     *
     * @param actor its name; its background is the one of the same name
     * @param isRunnable whether a step would make sense now
     * @param step does a bounded piece of work; may block only in {@link Background#await}
     */
    public void add(String actor, BooleanSupplier isRunnable, Runnable step) {
        var runner = runner(actor);
        runner.runnable = isRunnable;
        runner.step = step;
    }

    private Runner runner(String actor) {
        for (var runner : runners) {
            if (runner.name.equals(actor)) {
                return runner;
            }
        }
        var runner = new Runner(this, actor);
        runners.add(runner);
        return runner;
    }

    /** Notes something in the simulation's trace. */
    public void note(String event, long number) {
        simulation.note(event, name, number);
    }

    /** Whether it is alive, frozen or not. */
    public boolean isAlive() {
        return !life.dead;
    }

    /** Whether it is alive and not frozen. */
    public boolean isRunning() {
        return !life.dead && !frozen;
    }

    List<Runner> runners() {
        return runners;
    }

    void begin() {
        life = new Life();
        frozen = false;
        starts++;
        start.accept(this);
    }

    void kill() {
        life.dead = true;
        clusters.forEach(InMemoryKafkaCluster::kill);
        clusters.clear();
        runners.forEach(runner -> runner.background.drop());
        runners.clear();
    }

    void freeze(long untilMillis) {
        frozen = true;
        frozenUntilMillis = untilMillis;
        clusters.forEach(InMemoryKafkaCluster::freeze);
    }

    void thaw() {
        frozen = false;
        clusters.forEach(InMemoryKafkaCluster::thaw);
    }

    boolean isFrozen() {
        return frozen;
    }

    boolean isDueToThaw(long nowMillis) {
        return frozen && nowMillis >= frozenUntilMillis;
    }
}
