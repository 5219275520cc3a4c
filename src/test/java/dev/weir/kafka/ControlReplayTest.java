package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.DomainState;
import dev.weir.barrier.ManifestRef;
import dev.weir.failure.StoppedException;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControlReplayTest {

    /**
     * Random logs with gaps, full states written late, and trims below what they cover: whatever end a reader first saw, the fold of
     * what it hands on is the fold of everything that was ever written.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void theFoldIsThatOfAllThatWasEverWritten(long seed) {
        var random = new Random(seed);
        for (int run = 0; run < 100; run++) {
            var log = Log.of(random, 1 + random.nextInt(60));
            long seen = log.begin + random.nextLong(log.end - log.begin + 1);
            // A reader that starts when the log has been trimmed sees the full state that the trim was for.
            seen = Math.max(seen, log.fullStateOfTrim + 1);

            assertThat(fold(log.replay(seen))).isEqualTo(log.everything());
        }
    }

    @Test
    void withoutTheRuleTheFoldWouldDiffer() {
        var log = new Log();
        log.write(registered(0));
        var covered = log.everything();
        long covers = log.end;
        log.write(registered(1));
        log.write(new ControlRecord.FullState(covers, covered));

        var naive = DomainState.empty();
        for (var record : log.records.values()) {
            naive = naive.after(record);
        }
        assertThat(naive).isNotEqualTo(log.everything());
        assertThat(fold(log.replay(log.end))).isEqualTo(log.everything());
    }

    @Test
    void nothingIsHandedOnBeforeTheEndWasSeen() {
        var replay = new ControlReplay("control", 0);
        replay.accept(0, registered(0));
        assertThat(replay.take()).isEmpty();
        replay.endReached();

        assertThat(replay.take()).containsExactly(new ControlReader.Positioned(0, registered(0)));
        assertThat(replay.take()).isEmpty();
    }

    @Test
    void aTrimmedLogWithoutAFullStateThatReachesItsBeginningIsRefused() {
        var replay = new ControlReplay("control", 5);
        replay.accept(5, registered(0));
        replay.accept(6, new ControlRecord.FullState(4, DomainState.empty()));

        assertThatThrownBy(replay::endReached)
                .isInstanceOf(StoppedException.class)
                .hasMessageContaining("control")
                .hasMessageContaining("5");
    }

    private static DomainState fold(List<ControlReader.Positioned> records) {
        var state = DomainState.empty();
        for (var each : records) {
            state = state.after(each.record());
        }
        return state;
    }

    private static ControlRecord registered(int task) {
        return new ControlRecord.TaskRegistered(new TaskId("p", task), "slot");
    }

    private static final class Log {
        final TreeMap<Long, ControlRecord> records = new TreeMap<>();
        final TreeMap<Long, ControlRecord> ever = new TreeMap<>();
        long begin;
        long end;
        long fullStateOfTrim = -1;

        static Log of(Random random, int size) {
            var log = new Log();
            var pending = new ArrayList<ControlRecord.FullState>();
            for (int i = 0; i < size; i++) {
                log.end += random.nextInt(3) == 0 ? 1 : 0;
                if (random.nextInt(6) == 0) {
                    pending.add(new ControlRecord.FullState(log.end, log.everything()));
                }
                if (!pending.isEmpty() && random.nextInt(3) == 0) {
                    var full = pending.remove(0);
                    log.write(full);
                    if (random.nextBoolean()) {
                        log.begin = Math.max(log.begin, full.covers() - random.nextInt(2) * random.nextInt(3));
                        log.records.headMap(log.begin).clear();
                        log.fullStateOfTrim = log.end - 1;
                    }
                } else {
                    log.write(random(random));
                }
            }
            return log;
        }

        private static ControlRecord random(Random random) {
            int id = random.nextInt(8);
            return switch (random.nextInt(5)) {
                case 0 -> registered(id);
                case 1 -> new ControlRecord.TaskAdmitted(new TaskId("p", id), random.nextInt(5));
                case 2 ->
                    new ControlRecord.CheckpointStarted(
                            id, 1, 0, Set.of(new TopicPartition("t", 0)), Set.of(new TaskId("p", id)));
                case 3 -> new ControlRecord.CheckpointCompleted(id, new ManifestRef("m" + id, ""));
                default -> new ControlRecord.CheckpointAbandoned(id, "late");
            };
        }

        void write(ControlRecord record) {
            records.put(end, record);
            ever.put(end, record);
            end++;
        }

        DomainState everything() {
            var state = DomainState.empty();
            for (var record : ever.values()) {
                state = record instanceof ControlRecord.FullState ? state : state.after(record);
            }
            return state;
        }

        List<ControlReader.Positioned> replay(long firstSeenEnd) {
            var replay = new ControlReplay("control", begin);
            var handed = new ArrayList<ControlReader.Positioned>();
            records.headMap(firstSeenEnd).forEach(replay::accept);
            replay.endReached();
            handed.addAll(replay.take());
            records.tailMap(firstSeenEnd).forEach((offset, record) -> {
                replay.accept(offset, record);
                handed.addAll(replay.take());
            });
            return handed;
        }
    }
}
