package dev.weir.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.topology.TaskId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TaskStateTest {

    private static final TaskId TASK = new TaskId("p", 0);

    private final TaskStore store = new InMemoryStateBackend().openEmpty(TASK);
    private TaskState state = new TaskState(store, new StateCache(1 << 20));

    static LongStream seeds() {
        Long one = Long.getLong("weir.seed");
        return one == null ? LongStream.rangeClosed(1, 60) : LongStream.of(one);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void readsLikeAPlainMap(long seed) {
        state = new TaskState(store, new StateCache(seed % 3 * 2_000));
        TaskStateModel model = new TaskStateModel(TASK, state, seed);
        for (int step = 0; step < 2000; step++) {
            for (Changes changes : model.step()) {
                store.apply(changes);
                if (seed % 2 == 0) {
                    model.applied(changes.epoch());
                }
            }
        }
        model.compareAll();
        state.applied(store.epoch());
        model.compareAll();
    }

    @Test
    void theModelFindsADifference() {
        TaskStateModel model = new TaskStateModel(TASK, state, 1);
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> {
                    for (int step = 0; step < 2000; step++) {
                        model.step();
                        if (step == 500) {
                            state.put(Bytes.of(StorageKeys.value(1, new byte[] {9})), new byte[1]);
                        }
                    }
                    model.compareAll();
                })
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void failedRecordsLeaveNothing() {
        state.put(key(1), value(1));
        state.keep();
        state.put(key(1), null);
        state.put(key(2), value(2));
        assertThat(state.get(key(1))).isNull();
        state.discard();
        assertThat(state.get(key(1))).isEqualTo(value(1));
        assertThat(state.get(key(2))).isNull();
        assertThat(state.freeze(TASK, 1).entries()).hasSize(1);
    }

    @Test
    void anEpochEndsBetweenRecords() {
        state.put(key(1), value(1));
        assertThatIllegalStateException()
                .isThrownBy(() -> state.freeze(TASK, 1))
                .withMessageContaining("epoch 1 of task p/0");
        state.keep();
        assertThat(state.freeze(TASK, 1).epoch()).isEqualTo(1);
        assertThatIllegalArgumentException().isThrownBy(() -> state.freeze(TASK, 1));
        assertThat(state.freeze(TASK, 2).entries()).isEmpty();
    }

    @Test
    void frozenChangesNeverChange() {
        state.put(key(1), value(1));
        state.keep();
        Changes first = state.freeze(TASK, 1);
        state.put(key(1), null);
        state.put(key(2), value(2));
        state.keep();
        assertThat(first.entries()).hasSize(1).containsEntry((key(1)), value(1));
        Changes second = state.freeze(TASK, 2);
        assertThat(second.entries()).hasSize(2).containsEntry((key(1)), null);
    }

    @Test
    void countsTheBytesOfTheOverlays() {
        assertThat(state.overlayBytes()).isZero();
        state.put(key(1), new byte[100]);
        assertThat(state.overlayBytes()).isZero();
        state.keep();
        assertThat(state.overlayBytes()).isEqualTo(Overlay.ENTRY_OVERHEAD + key(1).array().length + 100);
        state.put(key(1), new byte[40]);
        state.keep();
        assertThat(state.overlayBytes()).isEqualTo(Overlay.ENTRY_OVERHEAD + key(1).array().length + 40);
        state.put(key(1), null);
        state.keep();
        long tombstone = (long) Overlay.ENTRY_OVERHEAD + key(1).array().length;
        assertThat(state.overlayBytes()).isEqualTo(tombstone);
        Changes changes = state.freeze(TASK, 1);
        assertThat(state.overlayBytes()).isEqualTo(tombstone);
        state.put(key(1), new byte[1]);
        state.keep();
        assertThat(state.overlayBytes()).isEqualTo(2 * tombstone + 1);
        store.apply(changes);
        state.applied(1);
        assertThat(state.overlayBytes()).isEqualTo(tombstone + 1);
        state.rollBack(1);
        assertThat(state.overlayBytes()).isZero();
    }

    @Test
    void aValueThatGrowsWithEachRecordDoesNotTakeTheSquareOfItsSize() {
        int records = 2_000;
        Overlay overlay = Overlay.running();
        for (int size = 1; size <= records; size++) {
            overlay.put(key(1), new byte[size]);
        }
        assertThat(overlay.taken()).isLessThan(5 * records);
        assertThat(overlay.bytes()).isGreaterThan(overlay.taken() / 2);
        assertThat((byte[]) overlay.get(key(1))).hasSize(records);
    }

    @Test
    void readsAheadOnlyWhereReadsMissAndWhatIsReadCanBeKept() {
        assertThat(state.readsMiss()).isFalse();
        state.get(key(1));
        assertThat(state.readsMiss()).isTrue();
        assertThat(state.readsMiss()).as("nothing was read since").isTrue();
        state.get(key(1));
        assertThat(state.readsMiss()).as("the cache knows it now").isFalse();
        TaskState bare = new TaskState(store, new StateCache(0));
        bare.get(key(1));
        assertThat(bare.readsMiss()).isFalse();
    }

    @Test
    void rollsBackToTheCommittedEpoch() {
        for (int epoch = 1; epoch <= 3; epoch++) {
            state.put(key(1), value(epoch));
            state.keep();
            state.freeze(TASK, epoch);
        }
        state.put(key(1), value(4));
        state.keep();
        state.put(key(1), value(5));
        assertThat(state.get(key(1))).isEqualTo(value(5));
        state.rollBack(2);
        assertThat(state.get(key(1))).isEqualTo(value(2));
        assertThat(state.freeze(TASK, 3).entries()).isEmpty();
        state.rollBack(0);
        assertThat(state.get(key(1))).isNull();
    }

    @Test
    void aScanMayPutAndDoesNotSeeIt() {
        for (int i = 0; i < 10; i++) {
            state.put(key(i), value(i));
        }
        state.keep();
        List<byte[]> seen = new ArrayList<>();
        state.scan(StorageKeys.statePrefix(1), (k, v) -> {
            state.put(Bytes.of(k), null);
            state.put(key(100 + seen.size()), v);
            return seen.add(k);
        });
        assertThat(seen).hasSize(10);
        List<byte[]> after = new ArrayList<>();
        state.scan(StorageKeys.statePrefix(1), (k, v) -> after.add(k));
        assertThat(after).hasSize(10).allMatch(k -> k[2] >= 100);
    }

    @Test
    void manyChangesOfOneRecordKeepTheirLastValue() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 100; i++) {
                state.put(key(i), value(i + round));
                assertThat(state.get(key(i / 2))).isEqualTo(value(i / 2 + round));
            }
        }
        state.keep();
        assertThat(state.freeze(TASK, 1).entries()).hasSize(100).containsEntry((key(7)), value(8));
    }

    private static Bytes key(int i) {
        return Bytes.of(StorageKeys.value(1, new byte[] {(byte) i}));
    }

    private static byte[] value(int i) {
        return new byte[] {(byte) i};
    }
}
