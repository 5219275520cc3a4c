package dev.weir.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The faults of a seed, or of a scenario without one, in their order. The same seed gives the same plan; how it interleaves with the load
 * is the machine's.
 *
 * @param name of its folder and in reports
 * @param recordsPerSecond of the load
 */
record Plan(String name, long seed, int recordsPerSecond, List<Step> steps) {

    /** Kinds of faults. */
    enum Kind {
        KILL,
        POINT,
        ZOMBIE,
        LOST_COMMIT,
        STORE,
        CONNECTION,
        BROKER_KILL,
        STORM,
        ROLL,
        ROLL_BROKERS,
        FULL_DISK,
        OUT_OF_MEMORY,
        PARTITION,
        CLOCK,
        OUTAGE
    }

    /**
     * A fault.
     *
     * @param number which of its kind: a point, a fault of the store, a way to lose a reply
     * @param worker whom it hits, if that one stands
     * @param pauseMillis how long to wait after it
     */
    record Step(Kind kind, int number, int worker, int pauseMillis) {}

    /** What a scenario needs more of than seeds do: of the machine, or of time. */
    enum Scenario {
        /** A disk that is full, and memory that does not suffice. */
        MACHINE,
        /** A worker that the network parts from everything, both ways and either way. */
        NETWORK,
        /** Workers whose clocks are an hour off, one early, one late. */
        CLOCK,
        /** An object store that is away for ten minutes. */
        OUTAGE
    }

    private static final int USUAL = 1_200;
    private static final int KILLS = 7;
    private static final int POINTS = 3;
    private static final int ZOMBIES = 2;
    private static final int LOST_COMMITS = 2;
    private static final int STORE_FAULTS = 4;
    private static final int CONNECTIONS = 2;

    /** The plan of a seed for so many workers. Points, faults of the store and rarer faults take turns from seed to seed. */
    static Plan of(long seed, int workers) {
        var random = new SplittableRandom(seed);
        var kinds = new ArrayList<Step>();
        add(kinds, Kind.KILL, KILLS, 0, 1);
        add(kinds, Kind.POINT, POINTS, seed * POINTS, Point.values().length);
        add(kinds, Kind.ZOMBIE, ZOMBIES, 0, 1);
        add(kinds, Kind.LOST_COMMIT, LOST_COMMITS, seed * LOST_COMMITS, 3);
        add(kinds, Kind.STORE, STORE_FAULTS, seed * STORE_FAULTS, StoreFault.values().length);
        add(kinds, Kind.CONNECTION, CONNECTIONS, 0, CONNECTIONS);
        add(kinds, Kind.BROKER_KILL, 1, seed, Cluster.NODES);
        add(kinds, List.of(Kind.STORM, Kind.ROLL, Kind.ROLL_BROKERS).get((int) Math.floorMod(seed, 3L)), 1, 0, 1);
        var steps = new ArrayList<Step>();
        while (!kinds.isEmpty()) {
            var next = kinds.remove(random.nextInt(kinds.size()));
            steps.add(new Step(next.kind(), next.number(), random.nextInt(workers), random.nextInt(300, 1_800)));
        }
        return new Plan("seed-" + seed, seed, USUAL, List.copyOf(steps));
    }

    /** One without a fault. It shows that the judges are content with a domain that nothing happens to. */
    static Plan ofNothing() {
        return new Plan("calm", 0, USUAL, List.of());
    }

    /** The plan of a scenario. */
    static Plan of(Scenario scenario) {
        var name = scenario.name().toLowerCase(java.util.Locale.ROOT);
        return switch (scenario) {
            case MACHINE ->
                new Plan(
                        name,
                        0,
                        USUAL,
                        List.of(
                                new Step(Kind.FULL_DISK, 0, 0, 3_000),
                                new Step(Kind.KILL, 0, 0, 3_000),
                                new Step(Kind.FULL_DISK, 0, 0, 3_000),
                                new Step(Kind.OUT_OF_MEMORY, 0, 1, 3_000),
                                new Step(Kind.KILL, 0, 2, 3_000)));
            case NETWORK ->
                new Plan(
                        name,
                        0,
                        USUAL,
                        IntStream.range(0, Site.Cut.values().length)
                                .mapToObj(cut -> new Step(Kind.PARTITION, cut, 0, 5_000))
                                .toList());
            case CLOCK ->
                new Plan(
                        name,
                        0,
                        USUAL,
                        List.of(
                                new Step(Kind.CLOCK, 0, 0, 6_000),
                                new Step(Kind.KILL, 0, 0, 6_000),
                                new Step(Kind.KILL, 0, 2, 6_000),
                                new Step(Kind.KILL, 0, 1, 6_000)));
            case OUTAGE -> new Plan(name, 0, USUAL / 6, List.of(new Step(Kind.OUTAGE, 0, 0, 1_000)));
        };
    }

    /** Whether it has a fault of a kind. */
    boolean has(Kind kind) {
        return steps.stream().anyMatch(step -> step.kind() == kind);
    }

    private static void add(List<Step> steps, Kind kind, int times, long first, int numbers) {
        for (int i = 0; i < times; i++) {
            steps.add(new Step(kind, (int) Math.floorMod(first + i, (long) numbers), 0, 0));
        }
    }
}
