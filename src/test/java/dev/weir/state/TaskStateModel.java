package dev.weir.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.topology.TaskId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Does random things to a task's state and compares it with plain maps. Epochs are handed out for applying once they are committed,
 * in order; only what is not committed is rolled back.
 */
public final class TaskStateModel {

    private final TaskId task;
    private final TaskState state;
    private final SplittableRandom random;
    private TreeMap<Bytes, byte[]> current = new TreeMap<>();
    private TreeMap<Bytes, byte[]> kept = new TreeMap<>();
    private TreeMap<Bytes, byte[]> committed = new TreeMap<>();
    private final Deque<Ended> open = new ArrayDeque<>();
    private long epoch;
    private long committedEpoch;
    private boolean staged;
    private final Deque<ReadAhead> reading = new ArrayDeque<>();
    private final Deque<ReadAhead> read = new ArrayDeque<>();

    private record Ended(Changes changes, TreeMap<Bytes, byte[]> after) {}

    /** Of a state that has nothing uncommitted. */
    public TaskStateModel(TaskId task, TaskState state, long seed) {
        this.task = task;
        this.state = state;
        this.random = new SplittableRandom(seed);
    }

    /** One random step; what is to be applied because of it. */
    public List<Changes> step() {
        readAhead();
        int dice = random.nextInt(100);
        if (dice < 45) {
            write(random.nextInt(20) == 0 ? 40 : 1 + random.nextInt(3));
        } else if (dice < 60) {
            compareOne();
        } else if (dice < 70) {
            comparePrefix();
        } else if (dice < 85) {
            state.keep();
            kept = new TreeMap<>(current);
            staged = false;
        } else if (dice < 90) {
            state.discard();
            current = new TreeMap<>(kept);
            staged = false;
        } else if (dice < 95) {
            freeze();
        } else if (dice < 99) {
            return commit();
        } else {
            rollBack();
        }
        return List.of();
    }

    /** Plans, reads and offers at different times, so that changes come between. */
    private void readAhead() {
        int dice = random.nextInt(12);
        if (dice == 0) {
            List<Bytes> keys = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                keys.add(key());
            }
            reading.add(state.readAhead(keys));
        } else if (dice < 3 && !reading.isEmpty()) {
            read.add(reading.remove().run());
        } else if (dice < 5 && !read.isEmpty()) {
            state.offer(read.remove());
        }
    }

    /** The state is told. */
    public void applied(long appliedEpoch) {
        state.applied(appliedEpoch);
    }

    /** Compares everything that a scan finds. */
    public void compareAll() {
        compare(new byte[0]);
    }

    private void write(int count) {
        for (int i = 0; i < count; i++) {
            Bytes key = key();
            byte[] value = random.nextInt(4) == 0 ? null : new byte[random.nextInt(5)];
            if (value != null) {
                java.util.Arrays.fill(value, (byte) random.nextInt());
            }
            state.put(key, value);
            set(current, key, value);
        }
        staged = true;
    }

    private void freeze() {
        if (staged) {
            state.keep();
            kept = new TreeMap<>(current);
            staged = false;
        }
        epoch += 1 + random.nextInt(2);
        Changes changes = state.freeze(task, epoch);
        TreeMap<Bytes, byte[]> before =
                open.isEmpty() ? committed : open.getLast().after();
        TreeMap<Bytes, byte[]> replayed = new TreeMap<>(before);
        changes.entries().forEach((key, value) -> set(replayed, key, value));
        assertThat(text(replayed)).as("changes lead from one state to the next").isEqualTo(text(kept));
        open.add(new Ended(changes, new TreeMap<>(kept)));
    }

    private static Map<String, String> text(Map<Bytes, byte[]> map) {
        Map<String, String> text = new TreeMap<>();
        map.forEach((key, value) -> text.put(key.toString(), Bytes.of(value).toString()));
        return text;
    }

    private List<Changes> commit() {
        List<Changes> ready = new ArrayList<>();
        if (!open.isEmpty()) {
            Ended first = open.removeFirst();
            committed = first.after();
            committedEpoch = first.changes().epoch();
            ready.add(first.changes());
        }
        return ready;
    }

    private void rollBack() {
        state.rollBack(committedEpoch);
        open.clear();
        current = new TreeMap<>(committed);
        kept = new TreeMap<>(committed);
        staged = false;
    }

    private void compareOne() {
        Bytes key = key();
        assertThat(state.get(key)).as("%s", key).isEqualTo(current.get(key));
    }

    private void comparePrefix() {
        Bytes key = key();
        compare(random.nextBoolean() ? StorageKeys.mapPrefix(2, key.array()) : StorageKeys.statePrefix(2));
        Bytes first = current.isEmpty() ? null : current.firstKey();
        List<Bytes> found = new ArrayList<>();
        state.scan(new byte[0], (k, v) -> !found.add(Bytes.of(k)));
        assertThat(found).isEqualTo(first == null ? List.of() : List.of(first));
    }

    private void compare(byte[] prefix) {
        List<Bytes> order = new ArrayList<>();
        TreeMap<Bytes, byte[]> found = new TreeMap<>();
        state.scan(prefix, (key, value) -> {
            order.add(Bytes.of(key));
            found.put(Bytes.of(key), value);
            return true;
        });
        TreeMap<Bytes, byte[]> expected = new TreeMap<>();
        for (Map.Entry<Bytes, byte[]> entry : current.entrySet()) {
            if (StorageKeys.startsWith(entry.getKey().array(), prefix)) {
                expected.put(entry.getKey(), entry.getValue());
            }
        }
        assertThat(order).isEqualTo(new ArrayList<>(expected.keySet()));
        order.forEach(key -> assertThat(found.get(key)).isEqualTo(expected.get(key)));
    }

    private Bytes key() {
        byte[] key = new byte[random.nextInt(3)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(4) * 85);
        }
        byte[] mapKey = {(byte) random.nextInt(256)};
        return Bytes.of(random.nextBoolean() ? StorageKeys.value(1, key) : StorageKeys.mapEntry(2, key, mapKey));
    }

    private static void set(TreeMap<Bytes, byte[]> map, Bytes key, byte @Nullable [] value) {
        if (value == null) {
            map.remove(key);
        } else {
            map.put(key, value);
        }
    }
}
