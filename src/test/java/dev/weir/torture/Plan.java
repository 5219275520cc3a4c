package dev.weir.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The faults of a seed, in their order. The same seed gives the same plan; how it interleaves with the load is the machine's. */
record Plan(long seed, List<Step> steps) {

    /** Kinds of faults. */
    enum Kind {
        KILL,
        POINT,
        ZOMBIE,
        LOST_COMMIT,
        STORE,
        BROKER_KILL,
        STORM,
        ROLL,
        FULL_DISK,
        OUT_OF_MEMORY
    }

    /**
     * A fault.
     *
     * @param number which of its kind: a point, a fault of the store, a way to lose a reply
     * @param worker whom it hits, if that one stands
     * @param pauseMillis how long to wait after it
     */
    record Step(Kind kind, int number, int worker, int pauseMillis) {}

    private static final int KILLS = 7;
    private static final int POINTS = 3;
    private static final int ZOMBIES = 2;
    private static final int LOST_COMMITS = 2;
    private static final int STORE_FAULTS = 4;

    /** The plan of a seed for so many workers. Points, faults of the store and rarer faults take turns from seed to seed. */
    static Plan of(long seed, int workers) {
        var random = new SplittableRandom(seed);
        var kinds = new ArrayList<Step>();
        add(kinds, Kind.KILL, KILLS, 0, 1);
        add(kinds, Kind.POINT, POINTS, seed * POINTS, Point.values().length);
        add(kinds, Kind.ZOMBIE, ZOMBIES, 0, 1);
        add(kinds, Kind.LOST_COMMIT, LOST_COMMITS, seed * LOST_COMMITS, 3);
        add(kinds, Kind.STORE, STORE_FAULTS, seed * STORE_FAULTS, StoreFault.values().length);
        add(kinds, List.of(Kind.BROKER_KILL, Kind.STORM, Kind.ROLL).get((int) Math.floorMod(seed, 3L)), 1, 0, 1);
        var steps = new ArrayList<Step>();
        while (!kinds.isEmpty()) {
            var next = kinds.remove(random.nextInt(kinds.size()));
            steps.add(new Step(next.kind(), next.number(), random.nextInt(workers), random.nextInt(300, 1_800)));
        }
        return new Plan(seed, List.copyOf(steps));
    }

    /** A plan for what needs more of the machine than the seeds do: a disk that is full, and memory that does not suffice. */
    static Plan ofMachine(long seed) {
        return new Plan(
                seed,
                List.of(
                        new Step(Kind.FULL_DISK, 0, 0, 3_000),
                        new Step(Kind.KILL, 0, 0, 3_000),
                        new Step(Kind.FULL_DISK, 0, 0, 3_000),
                        new Step(Kind.OUT_OF_MEMORY, 0, 1, 3_000),
                        new Step(Kind.KILL, 0, 2, 3_000)));
    }

    private static void add(List<Step> steps, Kind kind, int times, long first, int numbers) {
        for (int i = 0; i < times; i++) {
            steps.add(new Step(kind, (int) Math.floorMod(first + i, (long) numbers), 0, 0));
        }
    }
}
