package dev.weir.barrier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.SeedSource;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/**
 * A thread with random tasks reads random logs, while the control topic's records reach it late. A naive model that knows only the logs
 * and what the thread has heard judges each record and each cut.
 */
@NullUnmarked // Its maps hold every partition from the start; saying so at each look-up would hide the model.
class AlignerPropertyTest {

    private static final long TIMEOUT = 50;

    @SeedSource(count = 400)
    void everyCutAndEveryRecordKeepsTheRules(long seed) {
        new Run(seed, Fault.NONE).play();
    }

    @SeedSource(count = 60)
    void aThreadThatHeardEverythingAndMovesNeverNeedsTheTimeout(long seed) {
        var run = new Run(seed, Fault.NONE);
        run.timeMayPass = false;
        run.play();
        assertThat(run.unalignedMovingCuts).isZero();
    }

    @Test
    void theModelNoticesAReaderThatDoesNotHold() {
        assertThatThrownBy(() -> playSeeds(Fault.READ_ON)).isInstanceOf(AssertionError.class);
    }

    @Test
    void theModelNoticesCutsThatComeTooEarly() {
        assertThatThrownBy(() -> playSeeds(Fault.CUT_AT_ONCE)).isInstanceOf(AssertionError.class);
    }

    private static void playSeeds(Fault fault) {
        for (long seed = 0; seed < 50; seed++) {
            new Run(seed, fault).play();
        }
    }

    private enum Fault {
        NONE,
        READ_ON,
        CUT_AT_ONCE
    }

    /** A log: markers by offset, every other offset below the end is a record. Some logs have no markers in them. */
    private static final class Log {
        final boolean inBand;
        final TreeMap<Long, Long> markers = new TreeMap<>();
        long end;

        Log(boolean inBand) {
            this.inBand = inBand;
        }
    }

    private static final class Reader {
        final Map<TopicPartition, Long> positions = new TreeMap<>();
        Map<TopicPartition, Long> committedPositions = Map.of();
        boolean moving;
        boolean present;
        long lastCut;
        long committedCut;
        long highestCut;
    }

    private static final class Run {

        private final SplittableRandom random;
        private final Fault fault;
        private final Aligner aligner = new Aligner(TIMEOUT);
        private final Map<TopicPartition, Log> logs = new TreeMap<>();
        private final Map<TaskId, Reader> readers = new TreeMap<>();
        private final ArrayDeque<Runnable> control = new ArrayDeque<>();
        private final Map<Long, Map<TopicPartition, Long>> written = new HashMap<>();
        private final TreeSet<Long> undecided = new TreeSet<>();

        /** What the thread has heard, by records or by markers. */
        private final TreeSet<Long> heard = new TreeSet<>();

        private final HashSet<Long> heardClosed = new HashSet<>();
        private final HashSet<Long> heardPlaced = new HashSet<>();
        private final List<String> trace = new ArrayList<>();
        private long lastStarted;
        private long now;
        private long floor;
        boolean timeMayPass = true;
        int unalignedMovingCuts;

        Run(long seed, Fault fault) {
            this.random = new SplittableRandom(seed);
            this.fault = fault;
            int tasks = 1 + random.nextInt(3);
            int topics = 1 + random.nextInt(2);
            for (int number = 0; number < tasks; number++) {
                var reader = new Reader();
                for (int topic = 0; topic < topics; topic++) {
                    var partition = new TopicPartition("t" + topic, number);
                    logs.put(partition, new Log(random.nextInt(4) > 0));
                    reader.positions.put(partition, 0L);
                }
                reader.committedPositions = new TreeMap<>(reader.positions);
                readers.put(new TaskId("p", number), reader);
            }
        }

        void play() {
            try {
                for (int step = 0; step < 300; step++) {
                    step();
                }
                finish();
            } catch (AssertionError e) {
                throw new AssertionError(
                        e.getMessage() + "\nlast steps: " + trace.subList(Math.max(0, trace.size() - 40), trace.size()),
                        e);
            }
        }

        private void step() {
            var ids = List.copyOf(readers.keySet());
            var task = ids.get(random.nextInt(ids.size()));
            switch (random.nextInt(16)) {
                case 0 -> start();
                case 1 -> decide();
                case 2, 3 -> hear();
                case 4 -> comeOrMove(task);
                case 5 -> upset(task);
                case 6 -> time(random.nextInt(20));
                case 7 -> logs.values().forEach(log -> log.end += random.nextInt(3));
                case 8, 9 -> cutIfDue();
                default -> read(task);
            }
            notePassedOver();
        }

        /** The coordinator: a start record, markers in all logs, their offsets. */
        private void start() {
            long id = lastStarted += 1 + random.nextInt(2);
            undecided.add(id);
            control.add(() -> {
                say("started " + id);
                learn(id);
                aligner.onStarted(id, now);
            });
            var offsets = new HashMap<TopicPartition, Long>();
            logs.forEach((partition, log) -> {
                offsets.put(partition, log.end);
                if (log.inBand) {
                    log.markers.put(log.end++, id);
                }
            });
            written.put(id, offsets);
            if (random.nextInt(3) > 0) {
                control.add(() -> {
                    say("placed " + id + " " + offsets);
                    heardPlaced.add(id);
                    aligner.onPlaced(id, offsets);
                });
            }
        }

        private void decide() {
            if (undecided.isEmpty()) {
                return;
            }
            long id = random.nextBoolean() ? undecided.first() : undecided.last();
            undecided.remove(id);
            control.add(() -> {
                say("closed " + id);
                heard.add(id);
                heardClosed.add(id);
                aligner.onClosed(id, now);
            });
        }

        private void hear() {
            var record = control.poll();
            if (record != null) {
                record.run();
            }
        }

        private void learn(long id) {
            if (heard.isEmpty() || id > heard.last()) {
                heard.add(id);
            }
        }

        private void comeOrMove(TaskId task) {
            var reader = readers.get(task);
            if (!reader.present) {
                say("add " + task + " last cut " + reader.committedCut);
                reader.present = true;
                reader.moving = false;
                reader.lastCut = reader.committedCut;
                reader.positions.putAll(reader.committedPositions);
                aligner.addStanding(task, reader.committedPositions, reader.committedCut, now);
            } else if (!reader.moving) {
                reader.moving = true;
                aligner.setMoving(task);
            }
        }

        private void upset(TaskId task) {
            var reader = readers.get(task);
            int what = random.nextInt(4);
            if (!reader.present || what == 0) {
                return;
            }
            if (what == 1) {
                say("remove " + task);
                reader.present = false;
                aligner.remove(task);
            } else if (what == 2) {
                say("rewind " + task);
                reader.lastCut = reader.committedCut;
                reader.positions.putAll(reader.committedPositions);
                aligner.rewind(task, reader.committedPositions, reader.committedCut, now);
            } else {
                say("commit " + task);
                reader.committedCut = reader.lastCut;
                reader.committedPositions = new TreeMap<>(reader.positions);
            }
        }

        private void time(long millis) {
            now += timeMayPass ? millis : 0;
        }

        /** As a worker does: it stands at the marker that holds it, and processes nothing at or past the offset to hold at. */
        private void read(TaskId task) {
            var reader = readers.get(task);
            if (!reader.present || !reader.moving) {
                return;
            }
            var partitions = List.copyOf(reader.positions.keySet());
            var partition = partitions.get(random.nextInt(partitions.size()));
            var log = logs.get(partition);
            long position = reader.positions.get(partition);
            boolean obeys = fault != Fault.READ_ON;
            if (position >= log.end || (obeys && aligner.isHeld(partition))) {
                return;
            }
            if (obeys && position >= aligner.holdOffset(partition)) {
                throw new AssertionError(partition + " is past its marker and not held");
            }
            var marker = log.markers.get(position);
            if (marker == null) {
                judgeRecord(task, reader, partition, position);
            } else {
                say("marker " + marker + " in " + partition + " at " + position);
                if (marker > reader.lastCut) {
                    learn(marker);
                }
                if (aligner.onMarker(partition, marker, now) && obeys) {
                    return;
                }
            }
            reader.positions.put(partition, position + 1);
            aligner.onPosition(partition, position + 1);
        }

        /** No record is processed before cut N if a marker N precedes it, unless N is closed or given up for a higher one. */
        private void judgeRecord(TaskId task, Reader reader, TopicPartition partition, long offset) {
            say("record " + partition + " at " + offset);
            long wanted = wanted();
            if (wanted > reader.lastCut && written.containsKey(wanted)) {
                long marker = written.get(wanted).get(partition);
                boolean known = logs.get(partition).inBand || heardPlaced.contains(wanted);
                assertThat(known && offset >= marker)
                        .as("record %s of %s behind marker %s at %s, before the cut", offset, task, wanted, marker)
                        .isFalse();
            }
        }

        /** The only checkpoint that may be cut: the highest that was heard of, if it is open. */
        private long wanted() {
            long highest = 0;
            for (long id : heard) {
                highest = heardClosed.contains(id) ? highest : id;
            }
            return highest >= floor ? highest : 0;
        }

        private void cutIfDue() {
            var cut = fault == Fault.CUT_AT_ONCE ? early() : aligner.due(now);
            if (cut != null) {
                judgeCut(cut);
                cut.aligned().keySet().forEach(id -> {
                    var reader = readers.get(id);
                    reader.lastCut = cut.checkpoint();
                    reader.highestCut = Math.max(reader.highestCut, cut.checkpoint());
                });
                aligner.onCut(cut, now);
            }
        }

        /** Once the thread goes for a checkpoint it passes the markers of lower ones. */
        private void notePassedOver() {
            long wanted = wanted();
            if (readers.values().stream().anyMatch(reader -> reader.present && reader.lastCut < wanted)) {
                floor = Math.max(floor, wanted);
            }
        }

        private Aligner.Cut early() {
            var cut = aligner.due(Long.MAX_VALUE);
            if (cut == null) {
                return null;
            }
            var all = new TreeMap<TaskId, Boolean>();
            cut.aligned().keySet().forEach(id -> all.put(id, true));
            return new Aligner.Cut(cut.checkpoint(), all);
        }

        private void judgeCut(Aligner.Cut cut) {
            say("cut " + cut);
            assertThat(cut.checkpoint()).as("the one to be cut").isEqualTo(wanted());
            var due = new TreeSet<TaskId>();
            readers.forEach((id, reader) -> {
                if (reader.present && reader.lastCut < cut.checkpoint()) {
                    due.add(id);
                }
            });
            assertThat(cut.aligned().keySet()).as("the tasks of the cut").isEqualTo(due);
            boolean late = now - aligner.learnedAtMillis() >= TIMEOUT;
            cut.aligned().forEach((id, aligned) -> {
                var reader = readers.get(id);
                assertThat(cut.checkpoint()).as("ids of %s rise", id).isGreaterThan(reader.lastCut);
                assertThat(aligned || late || !reader.moving)
                        .as("%s may be cut where it is", id)
                        .isTrue();
                unalignedMovingCuts += !aligned && reader.moving ? 1 : 0;
                if (aligned) {
                    var offsets = written.get(cut.checkpoint());
                    reader.positions.forEach((partition, position) -> {
                        long marker = offsets.get(partition);
                        if (logs.get(partition).inBand) {
                            assertThat(position).as("%s of %s", partition, id).isEqualTo(marker);
                        } else {
                            assertThat(position).as("%s of %s", partition, id).isGreaterThanOrEqualTo(marker);
                        }
                    });
                }
            });
        }

        /** When all is heard and read, every task has cut the last open checkpoint that could be cut, and nothing is held. */
        private void finish() {
            while (!control.isEmpty()) {
                hear();
                notePassedOver();
            }
            for (int both = 0; both < 2; both++) {
                readers.keySet().forEach(this::comeOrMove);
                notePassedOver();
            }
            var placed = written.get(lastStarted);
            if (placed != null && !heardPlaced.contains(lastStarted)) {
                heardPlaced.add(lastStarted);
                aligner.onPlaced(lastStarted, placed);
            }
            for (int round = 0; round < 20_000 && !isDone(); round++) {
                readers.keySet().forEach(task -> {
                    read(task);
                    notePassedOver();
                });
                cutIfDue();
                time(1);
            }
            assertThat(isDone()).as("all read, nothing held").isTrue();
            long wanted = wanted();
            readers.forEach((id, reader) ->
                    assertThat(reader.lastCut).as("last cut of %s", id).isGreaterThanOrEqualTo(wanted));
        }

        private boolean isDone() {
            return aligner.target() == 0
                    && readers.values().stream()
                            .allMatch(reader -> reader.moving
                                    && reader.positions.entrySet().stream()
                                            .allMatch(at -> at.getValue() >= logs.get(at.getKey()).end));
        }

        private void say(String what) {
            trace.add(what);
        }
    }
}
