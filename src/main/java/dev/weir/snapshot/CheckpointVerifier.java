package dev.weir.snapshot;

import dev.weir.barrier.DomainState.Ancestor;
import dev.weir.barrier.DomainState.OpenCheckpoint;
import dev.weir.barrier.ManifestRef;
import dev.weir.barrier.TaskCut;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Proves that the cuts of a checkpoint fit together, before it is declared complete and whenever it is asked for. Pure: the manifests
 * are given.
 */
public final class CheckpointVerifier {

    private final String domain;
    private final long incarnation;
    private final Map<Long, Ancestor> lineage;
    private final Map<String, Set<String>> inputTopics;

    /**
     * A verifier for the domain's present life.
     *
     * @param inputTopics the topics that each processor reads; a processor that is not in it is judged by what its other tasks read
     */
    public CheckpointVerifier(
            String domain, long incarnation, Map<Long, Ancestor> lineage, Map<String, Set<String>> inputTopics) {
        this.domain = domain;
        this.incarnation = incarnation;
        this.lineage = Map.copyOf(lineage);
        this.inputTopics = Map.copyOf(inputTopics);
    }

    /**
     * What was found.
     *
     * @param findings sentences that say what is wrong; none if the checkpoint is consistent
     * @param channels what a restore reads again although it lies before the markers: of cuts that did not wait for all of them
     */
    public record Verification(List<String> findings, List<ChannelRange> channels) {

        /** Whether nothing is wrong. */
        public boolean isConsistent() {
            return findings.isEmpty();
        }
    }

    /** Records of a source partition that are part of a checkpoint: from an offset to that of the marker, which is not one. */
    public record ChannelRange(TaskId task, TopicPartition partition, long from, long until) {}

    /** Verifies a checkpoint, given every manifest that its acknowledgements name. */
    public Verification verify(OpenCheckpoint checkpoint, Map<ManifestRef, Manifest> manifests) {
        return new Pass(checkpoint, manifests).verification();
    }

    private final class Pass {

        private final OpenCheckpoint checkpoint;
        private final Map<ManifestRef, Manifest> manifests;
        private final Map<TopicPartition, Long> markers;
        private final Map<TaskId, TaskSnapshot> cuts = new TreeMap<>();
        private final List<String> findings = new ArrayList<>();
        private final List<ChannelRange> channels = new ArrayList<>();

        Pass(OpenCheckpoint checkpoint, Map<ManifestRef, Manifest> manifests) {
            this.checkpoint = checkpoint;
            this.manifests = manifests;
            this.markers = checkpoint.markers() == null ? Map.of() : checkpoint.markers();
        }

        Verification verification() {
            checkMarkers();
            new TreeSet<>(checkpoint.tasks()).forEach(this::checkTask);
            checkInputs();
            cuts.values().forEach(this::checkChannels);
            return new Verification(List.copyOf(findings), List.copyOf(channels));
        }

        private void checkMarkers() {
            for (var partition : new TreeSet<>(checkpoint.partitions())) {
                var marker = markers.get(partition);
                if (marker == null) {
                    found("has no marker in source partition " + partition);
                }
            }
        }

        private void checkTask(TaskId task) {
            var cut = checkpoint.acknowledged().get(task);
            if (cut == null) {
                found(task, "has not acknowledged");
                return;
            }
            var manifest = manifests.get(cut.manifest());
            if (manifest == null) {
                found(task, "acknowledged with manifest " + cut.manifest().name() + ", which is not there");
                return;
            }
            checkLife(task, cut, manifest);
            var snapshots = manifest.tasks().stream()
                    .filter(snapshot -> snapshot.task().equals(task))
                    .toList();
            if (snapshots.size() != 1) {
                found(
                        task,
                        "stands " + snapshots.size() + " times in manifest "
                                + cut.manifest().name() + ", expected once");
                return;
            }
            checkCut(cut, snapshots.get(0));
            SnapshotRules.violations(snapshots.get(0))
                    .forEach(violation -> found(task, "has a snapshot that is not sound: " + violation));
            cuts.put(task, snapshots.get(0));
        }

        private void checkLife(TaskId task, TaskCut cut, Manifest manifest) {
            var name = cut.manifest().name();
            if (!cut.task().equals(task)) {
                found(task, "has an acknowledgement that is of task " + cut.task());
            }
            if (!manifest.domain().equals(domain)) {
                found(task, "has manifest " + name + " of domain " + manifest.domain() + ", expected " + domain);
            }
            if (manifest.incarnation() != incarnation) {
                found(
                        task,
                        "has manifest " + name + " of incarnation " + manifest.incarnation() + ", expected "
                                + incarnation);
            }
            if (!manifest.lineage().equals(lineage)) {
                found(
                        task,
                        "has manifest " + name + " of another lineage, " + manifest.lineage() + ", expected "
                                + lineage);
            }
        }

        private void checkCut(TaskCut cut, TaskSnapshot snapshot) {
            var task = snapshot.task();
            var lastCut = snapshot.lastCut();
            if (snapshot.epoch() != cut.epoch()) {
                found(task, "has a snapshot of epoch " + snapshot.epoch() + ", acknowledged was epoch " + cut.epoch());
            }
            if (lastCut.checkpoint() != checkpoint.id()) {
                found(task, "has checkpoint " + lastCut.checkpoint() + " as its last cut");
            }
            if (lastCut.epoch() != snapshot.epoch()) {
                found(
                        task,
                        "has cut at epoch " + lastCut.epoch() + ", but its snapshot is of epoch " + snapshot.epoch());
            }
            if (lastCut.manifest() != null) {
                found(
                        task,
                        "acknowledged with a manifest that is not that of its cut, which is "
                                + lastCut.manifest().name());
            }
            if (!lastCut.positions().equals(snapshot.positions())) {
                found(
                        task,
                        "has cut at " + new TreeMap<>(lastCut.positions()) + ", but its snapshot is at "
                                + new TreeMap<>(snapshot.positions()));
            }
        }

        /** All inputs of task i are partition i, and all tasks of a processor read the same topics. */
        private void checkInputs() {
            var topics = new HashMap<String, Set<String>>();
            for (var cut : cuts.values()) {
                var processor = cut.task().processor();
                var all = topics.computeIfAbsent(
                        processor, name -> new TreeSet<>(inputTopics.getOrDefault(name, Set.of())));
                if (!inputTopics.containsKey(processor)) {
                    cut.positions().keySet().forEach(partition -> all.add(partition.topic()));
                }
            }
            for (var cut : cuts.values()) {
                var expected = new TreeSet<TopicPartition>();
                topics.getOrDefault(cut.task().processor(), Set.of())
                        .forEach(topic -> expected.add(
                                new TopicPartition(topic, cut.task().partition())));
                compareInputs(cut, expected);
            }
        }

        private void compareInputs(TaskSnapshot cut, Set<TopicPartition> expected) {
            for (var partition : expected) {
                if (!cut.positions().containsKey(partition)) {
                    found(cut.task(), "has no position in its input partition " + partition);
                }
            }
            for (var partition : new TreeSet<>(cut.positions().keySet())) {
                if (!expected.contains(partition)) {
                    found(cut.task(), "has a position in " + partition + ", which is not one of its input partitions");
                }
            }
        }

        private void checkChannels(TaskSnapshot cut) {
            new TreeMap<>(cut.positions()).forEach((partition, position) -> {
                var marker = markers.get(partition);
                if (marker == null || position >= marker) {
                    return;
                }
                if (cut.lastCut().aligned()) {
                    found(
                            cut.task(),
                            "is aligned, but its position " + position + " in " + partition
                                    + " is before the marker at " + marker);
                } else {
                    channels.add(new ChannelRange(cut.task(), partition, position, marker));
                }
            });
        }

        private void found(TaskId task, String what) {
            findings.add("Task " + task + " " + what + " (checkpoint " + checkpoint.id() + ").");
        }

        private void found(String what) {
            findings.add("Checkpoint " + checkpoint.id() + " " + what + ".");
        }
    }
}
