package dev.weir.state;

import dev.weir.codec.Codec;
import dev.weir.topology.TaskId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A task's state as its processing thread sees it: the changes of the record being handled, over those of the running epoch, over
 * those of ended epochs that are not in the store yet, over the store, of which a cache holds what was read or applied lately.
 *
 * <p>Owned by the processing thread. Another thread may meanwhile apply frozen changes to the store: both only read them, and a
 * frozen overlay hides the store's entries whether or not they are applied already, so that each read is the same before and after.
 * The owner calls {@link #applied} after it has learned of it. Arrays handed in must not be
 * changed, those handed out belong to who asked for them.
 */
public final class TaskState {

    private static final int MISSES_WORTH_READING_AHEAD = 20;

    private final TaskStore store;
    private final StateCache cache;
    private final int cacheOwner;
    private final Staging staged = new Staging();
    private Overlay running = Overlay.running();
    /** Oldest first; empty ones are left out. */
    private final List<Overlay> frozen = new ArrayList<>();

    private long lastFrozen = Long.MIN_VALUE;
    private long frozenBytes;
    /** How often changes have got into the store. */
    private long generation;

    private long reads;
    private long misses;
    private boolean missing;
    private boolean encodingAtOnce;

    /** The state over a store, nothing changed, with the cache of the thread that owns it. */
    public TaskState(TaskStore store, StateCache cache) {
        this.store = store;
        this.cache = cache;
        this.cacheOwner = cache.newOwner();
    }

    /** The store under it. */
    public TaskStore store() {
        return store;
    }

    /** The bytes of a storage key's value, or null. */
    public byte @Nullable [] get(Bytes key) {
        Object held = held(key);
        return held instanceof Unencoded later ? later.bytes() : (byte[]) held;
    }

    /** The value of a storage key, or null. One that can never change may be the very object that was put. */
    @SuppressWarnings("unchecked") // A key's values all come from the same codec.
    public <T> @Nullable T get(Bytes key, Codec<T> codec) {
        Object held = held(key);
        if (held instanceof Unencoded later) {
            return (T) later.value();
        }
        return held == null ? null : codec.decode((byte[]) held);
    }

    private @Nullable Object held(Bytes key) {
        reads++;
        int position = staged.find(key);
        if (position >= 0) {
            return copy(staged.value(position));
        }
        Object value = running.get(key);
        if (value != Overlay.ABSENT) {
            return value;
        }
        for (int i = frozen.size() - 1; i >= 0; i--) {
            value = frozen.get(i).get(key);
            if (value != Overlay.ABSENT) {
                return value;
            }
        }
        byte[] cached = cache.get(cacheOwner, key);
        if (cached != StateCache.ABSENT) {
            return cached;
        }
        misses++;
        byte[] stored = store.get(key.array());
        cache.put(cacheOwner, key, stored);
        return stored;
    }

    /** Who reads gets arrays of his own; here they have only just been handed in. */
    private static @Nullable Object copy(@Nullable Object held) {
        return held instanceof byte[] array ? array.clone() : held;
    }

    /** Sets a storage key's value, or removes it by null, on behalf of the record being handled. */
    public void put(Bytes key, byte @Nullable [] value) {
        staged.put(key, value);
    }

    /**
     * Sets a storage key's value on behalf of the record being handled. It is encoded now if it could be changed later, else not before
     * its bytes are needed.
     *
     * @throws IllegalArgumentException if it is encoded now and cannot be
     */
    public <T> void put(Bytes key, Codec<T> codec, T value) {
        staged.put(key, codec.isImmutable() && !encodingAtOnce ? new Unencoded(value, codec) : codec.encode(value));
    }

    /** From now on encodes each value when it is put, so that one that cannot be encoded fails with the record that put it. */
    public void encodeAtOnce() {
        encodingAtOnce = true;
    }

    /** Whether so many of the reads since the last call have needed the store, then or ahead, that it pays to read ahead. */
    public boolean readsMiss() {
        if (reads > 0) {
            missing = cache.isEnabled() && misses * MISSES_WORTH_READING_AHEAD > reads;
            reads = 0;
            misses = 0;
        }
        return missing;
    }

    /** What has to be read from the store so that these keys, of which some may be the same, can be read without it. */
    public ReadAhead readAhead(Collection<Bytes> keys) {
        var wanted = new LinkedHashSet<Bytes>();
        for (Bytes key : keys) {
            if (!running.contains(key) && !isFrozen(key) && !cache.contains(cacheOwner, key)) {
                wanted.add(key);
            }
        }
        misses += wanted.size();
        return new ReadAhead(store, generation, List.copyOf(wanted));
    }

    private boolean isFrozen(Bytes key) {
        for (Overlay overlay : frozen) {
            if (overlay.contains(key)) {
                return true;
            }
        }
        return false;
    }

    /** Keeps what was read ahead, unless changes have got into the store since: then it may be out of date. */
    public void offer(ReadAhead read) {
        if (read.generation() == generation) {
            read.forEach((key, value) -> cache.put(cacheOwner, key, value));
        }
    }

    /**
     * Hands over entries whose key begins with the prefix, in ascending order of unsigned bytes, until {@code each} says false. What
     * {@code each} puts or removes is not seen by this scan; it must not call anything else that changes this state.
     */
    public void scan(byte[] prefix, BiPredicate<byte[], byte[]> each) {
        OverlayScan scan = new OverlayScan(prefix, each);
        Bytes from = Bytes.of(prefix);
        if (!staged.isEmpty()) {
            TreeMap<Bytes, @Nullable Object> sorted = new TreeMap<>();
            for (int i = 0; i < staged.size(); i++) {
                if (StorageKeys.startsWith(staged.key(i).array(), prefix)) {
                    sorted.put(staged.key(i), staged.value(i));
                }
            }
            scan.add(sorted, TaskState::copy);
        }
        if (!running.isEmpty()) {
            scan.add(running.from(from), running::held);
        }
        for (int i = frozen.size() - 1; i >= 0; i--) {
            scan.add(frozen.get(i).from(from), frozen.get(i)::held);
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
        Overlay ended = running;
        ended.freeze(epoch);
        running = running.successor();
        lastFrozen = epoch;
        if (!ended.isEmpty()) {
            frozen.add(ended);
            frozenBytes += ended.bytes();
        }
        return new Changes(task, epoch, ended);
    }

    /** The changes of all epochs up to this one are in the store now. */
    public void applied(long epoch) {
        generation++;
        while (!frozen.isEmpty() && frozen.get(0).epoch() <= epoch) {
            Overlay stored = frozen.remove(0);
            frozenBytes -= stored.bytes();
            stored.visit((keys, keyOffset, keyLength, values, valueOffset, valueLength) ->
                    cache.put(cacheOwner, keys, keyOffset, keyLength, values, valueOffset, valueLength));
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
