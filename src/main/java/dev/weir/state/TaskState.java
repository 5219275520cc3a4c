package dev.weir.state;

import dev.weir.topology.TaskId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A task's state as its processing thread sees it: the changes of the record being handled, over those of the running epoch, over
 * those of ended epochs that are not in the store yet, over the store.
 *
 * <p>Owned by the processing thread. Another thread may meanwhile apply frozen changes to the store: both only read them, and a
 * frozen overlay hides the store's entries whether or not they are applied already, so that each read is the same before and after.
 * The owner calls {@link #applied} after it has learned of it. Arrays handed in or out must not be changed.
 */
public final class TaskState {

    private final TaskStore store;
    private final Staging staged = new Staging();
    private Overlay running = Overlay.running();
    /** Oldest first; empty ones are left out. */
    private final List<Overlay> frozen = new ArrayList<>();

    private long lastFrozen = Long.MIN_VALUE;
    private long frozenBytes;

    /** The state over a store, nothing changed. */
    public TaskState(TaskStore store) {
        this.store = store;
    }

    /** The store under it. */
    public TaskStore store() {
        return store;
    }

    /** The value of a storage key, or null. */
    public byte @Nullable [] get(byte[] storageKey) {
        if (staged.isEmpty() && running.isEmpty() && frozen.isEmpty()) {
            return store.get(storageKey);
        }
        Bytes key = Bytes.of(storageKey);
        int position = staged.find(key);
        if (position >= 0) {
            return staged.value(position);
        }
        byte[] value = running.get(key);
        if (value != Overlay.ABSENT) {
            return value;
        }
        for (int i = frozen.size() - 1; i >= 0; i--) {
            value = frozen.get(i).get(key);
            if (value != Overlay.ABSENT) {
                return value;
            }
        }
        return store.get(storageKey);
    }

    /** Sets a storage key's value, or removes it by null, on behalf of the record being handled. */
    public void put(byte[] storageKey, byte @Nullable [] value) {
        staged.put(Bytes.of(storageKey), value);
    }

    /**
     * Hands over entries whose key begins with the prefix, in ascending order of unsigned bytes, until {@code each} says false. What
     * {@code each} puts or removes is not seen by this scan; it must not call anything else that changes this state.
     */
    public void scan(byte[] prefix, BiPredicate<byte[], byte[]> each) {
        OverlayScan scan = new OverlayScan(prefix, each);
        Bytes from = Bytes.of(prefix);
        if (!staged.isEmpty()) {
            TreeMap<Bytes, byte @Nullable []> sorted = new TreeMap<>();
            for (int i = 0; i < staged.size(); i++) {
                if (StorageKeys.startsWith(staged.key(i).array(), prefix)) {
                    sorted.put(staged.key(i), staged.value(i));
                }
            }
            scan.add(sorted);
        }
        if (!running.isEmpty()) {
            scan.add(running.from(from));
        }
        for (int i = frozen.size() - 1; i >= 0; i--) {
            scan.add(frozen.get(i).from(from));
        }
        scan.run(store);
    }

    /** The record is handled: its changes join those of the running epoch. */
    public void keep() {
        for (int i = 0; i < staged.size(); i++) {
            running.put(staged.key(i), staged.value(i));
        }
        staged.clear();
    }

    /** The record failed: its changes are dropped. */
    public void discard() {
        staged.clear();
    }

    /** Approximate heap bytes of the running epoch's changes, those of the record being handled left out. */
    public long runningBytes() {
        return running.bytes();
    }

    /** Approximate heap bytes of all changes that are not in the store yet, those of the record being handled left out. */
    public long overlayBytes() {
        return running.bytes() + frozenBytes;
    }

    /**
     * Ends the running epoch, under this number, and begins a new one.
     *
     * @return what it changed; may be empty
     * @throws IllegalStateException if changes of a record are neither kept nor discarded
     */
    public Changes freeze(TaskId task, long epoch) {
        if (!staged.isEmpty()) {
            throw new IllegalStateException("Cannot end epoch " + epoch + " of task " + task + ": " + staged.size()
                    + " changes of a record are neither kept nor discarded");
        }
        if (epoch <= lastFrozen || epoch <= store.epoch()) {
            throw new IllegalArgumentException("Cannot end epoch " + epoch + " of task " + task + ": epoch "
                    + Math.max(lastFrozen, store.epoch()) + " has ended already");
        }
        Overlay ended = running.frozen(epoch);
        running = running.successor();
        lastFrozen = epoch;
        if (!ended.isEmpty()) {
            frozen.add(ended);
            frozenBytes += ended.bytes();
        }
        return new Changes(task, epoch, ended.entries());
    }

    /** The changes of all epochs up to this one are in the store now. */
    public void applied(long epoch) {
        while (!frozen.isEmpty() && frozen.get(0).epoch() <= epoch) {
            frozenBytes -= frozen.remove(0).bytes();
        }
    }

    /** Drops what was changed after the end of this epoch, the record being handled included. */
    public void rollBack(long committedEpoch) {
        staged.clear();
        running = running.successor();
        while (!frozen.isEmpty() && frozen.get(frozen.size() - 1).epoch() > committedEpoch) {
            frozenBytes -= frozen.remove(frozen.size() - 1).bytes();
        }
        lastFrozen = Math.min(lastFrozen, committedEpoch);
    }
}
