package dev.weir.simulation;

import dev.weir.testkit.FaultPlan;
import dev.weir.testkit.InMemoryKafka.StoredRecord;
import dev.weir.testkit.Simulation;
import dev.weir.topology.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** A few tiny workers on one input, from one seed. */
final class TinyDomain {

    private static final int PARTITIONS = 4;

    private final Simulation simulation;
    private final Workload workload;

    TinyDomain(long seed, FaultPlan plan, Sabotage sabotage) {
        simulation = new Simulation(seed, plan);
        var kafka = simulation.kafka();
        kafka.createTopic("in", PARTITIONS);
        kafka.createTopic("out", 3);
        workload = new Workload(kafka, simulation.random(), "in", PARTITIONS, 3);
        for (int i = 0; i < 3; i++) {
            String name = "w" + i;
            simulation.addProcess(name, process -> {
                var cluster = new SabotagedCluster(process.cluster("d"), sabotage);
                var worker = new TinyWorker(cluster, process.background(name), "g", name, "in", "out");
                process.add(name, worker::isRunnable, worker::step);
            });
        }
    }

    Simulation simulation() {
        return simulation;
    }

    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            if (i % 5 == 0) {
                workload.produce();
            }
            simulation.step();
        }
    }

    /** Goes on without faults until everything is processed; whether it is. */
    boolean finish() {
        simulation.heal();
        return simulation.runUntil(
                () -> {
                    var positions = positions();
                    return IntStream.range(0, PARTITIONS)
                            .allMatch(partition -> input(partition).size() - positions.getOrDefault(partition, 0L) < 6);
                },
                40_000);
    }

    void check() {
        simulation.kafka().settle();
        var oracle = new Oracle();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            oracle.with(partition, input(partition));
        }
        new OutputChecker(oracle)
                .check(
                        positions(),
                        IntStream.range(0, 3).mapToObj(p -> records("out", p)).toList());
    }

    private Map<Integer, Long> positions() {
        Map<Integer, Long> positions = new TreeMap<>();
        simulation
                .kafka()
                .committedPositions("g")
                .forEach((partition, at) -> positions.put(partition.partition(), at.offset()));
        return positions;
    }

    private List<StoredRecord> input(int partition) {
        return records("in", partition);
    }

    private List<StoredRecord> records(String topic, int partition) {
        return simulation.kafka().allCommittedRecords(new TopicPartition(topic, partition));
    }
}
