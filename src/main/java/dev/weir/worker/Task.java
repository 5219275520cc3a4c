package dev.weir.worker;

import dev.weir.barrier.Aligner;
import dev.weir.barrier.ManifestRef;
import dev.weir.snapshot.KnownFiles;
import dev.weir.snapshot.Manifest.Base;
import dev.weir.snapshot.Manifest.Delta;
import dev.weir.snapshot.Manifest.LastCut;
import dev.weir.snapshot.Manifest.StateEntry;
import dev.weir.snapshot.Manifest.TaskSnapshot;
import dev.weir.state.Changes;
import dev.weir.state.StateSchema;
import dev.weir.state.TaskState;
import dev.weir.status.TaskStatus.Phase;
import dev.weir.time.Background;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import dev.weir.worker.commit.SealedEpoch;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One task on its thread: where it reads, what is committed of it, and its state once it is open. Owned by the thread. */
final class Task {

    final TaskId id;
    final Set<TopicPartition> partitions;

    private final Map<TopicPartition, Long> positions = new TreeMap<>();
    private @Nullable TaskSnapshot committed;
    private @Nullable ManifestRef committedIn;
    private @Nullable TaskState state;
    private @Nullable Base newBase;
    private boolean restoring;
    private @Nullable String failure;
    private StateSchema schema = StateSchema.empty();
    KnownFiles files = KnownFiles.none();
    /** Committed changes that are not in the store yet, oldest first. */
    final ArrayDeque<Changes> unapplied = new ArrayDeque<>();

    boolean applying;
    long applyAtMillis;
    Background.@Nullable Job baseUpload;
    boolean opening;
    long openAtMillis;
    private volatile boolean gone;
    /** Written by the restore, read for the status. */
    volatile long restoredBytes;

    volatile long totalBytes = -1;

    Task(TaskId id, Set<TopicPartition> partitions) {
        this.id = id;
        this.partitions = partitions;
    }

    Phase phase() {
        if (failure != null) {
            return Phase.STOPPED;
        }
        if (state != null) {
            return isMoving() ? Phase.RUNNING : Phase.STARTING;
        }
        if (restoring) {
            return Phase.RESTORING;
        }
        return positions.isEmpty() ? Phase.ASSIGNED : Phase.STARTING;
    }

    /** Whether the transaction of an epoch carries its positions: they are known, and so is what was committed of it. */
    boolean isCarried() {
        return !positions.isEmpty();
    }

    /** Whether nothing of it has ever been committed. */
    boolean isNew() {
        return isCarried() && committed == null;
    }

    Map<TopicPartition, Long> positions() {
        return positions;
    }

    void moveTo(TopicPartition partition, long position) {
        positions.put(partition, position);
    }

    void moveTo(Map<TopicPartition, Long> all) {
        positions.putAll(all);
    }

    @Nullable
    TaskSnapshot committed() {
        return committed;
    }

    @Nullable
    ManifestRef committedIn() {
        return committedIn;
    }

    /** What the group says is committed of it. */
    void onCommitted(TaskSnapshot snapshot, ManifestRef manifest) {
        var cut = snapshot.lastCut();
        boolean cutHere = cut.manifest() == null && cut.epoch() == snapshot.epoch() && snapshot.epoch() > 0;
        committed = cutHere
                ? withCut(
                        snapshot, new LastCut(cut.checkpoint(), cut.epoch(), manifest, cut.aligned(), cut.positions()))
                : snapshot;
        committedIn = manifest;
        if (newBase != null && newBase.equals(snapshot.base())) {
            newBase = null;
        }
    }

    private boolean registering;
    private boolean admitted;

    boolean isRegistering() {
        return registering;
    }

    void registering() {
        registering = true;
    }

    boolean isAdmitted() {
        return admitted;
    }

    /** The domain has admitted it: it cuts no checkpoint up to this one. */
    void onAdmitted(long lastCut) {
        admitted = true;
        if (committed != null && committed.lastCut().checkpoint() < lastCut) {
            committed = withCut(committed, new LastCut(lastCut, 0, null, false, Map.of()));
        }
    }

    long epoch() {
        return committed == null ? -1 : committed.epoch();
    }

    long lastCut() {
        return committed == null ? 0 : committed.lastCut().checkpoint();
    }

    void restoring() {
        restoring = true;
    }

    void open(TaskState opened, KnownFiles known, StateSchema knownStates) {
        state = opened;
        files = known;
        schema = knownStates;
        restoring = false;
    }

    @Nullable
    TaskState state() {
        return state;
    }

    TaskState openState() {
        if (state == null) {
            throw new IllegalStateException("Cannot use the state of " + id + ": it is not open");
        }
        return state;
    }

    private boolean moving;

    boolean isMoving() {
        return moving;
    }

    void start() {
        moving = true;
    }

    /** It stands still from here on, and the reason is shown. */
    void fail(String reason) {
        moving = false;
        restoring = false;
        failure = reason;
    }

    /** It belongs to this thread no longer; what is under way for it should end. */
    void gone() {
        gone = true;
    }

    boolean isGone() {
        return gone;
    }

    @Nullable
    String failure() {
        return failure;
    }

    StateSchema schema() {
        return schema;
    }

    void schema(StateSchema newSchema) {
        schema = newSchema;
    }

    List<StateEntry> stateEntries() {
        return schema.entries().stream()
                .map(entry -> new StateEntry(
                        entry.name(), entry.number(), entry.kind().text(), entry.type()))
                .toList();
    }

    void onBase(Base base) {
        newBase = base;
    }

    /** The newest base that the next manifest can name. */
    @Nullable
    Base base() {
        return newBase != null ? newBase : committed == null ? null : committed.base();
    }

    /** Its part of an epoch that ends now, with the cut if it is cut. Its running overlay is frozen. */
    SealedEpoch.TaskEpoch seal(Aligner.@Nullable Cut cut) {
        long next = epoch() + 1;
        var now = new TreeMap<>(positions);
        var aligned = cut == null ? null : cut.aligned().get(id);
        var lastCut = aligned != null && cut != null
                ? new LastCut(cut.checkpoint(), next, null, aligned, now)
                : committed != null ? committed.lastCut() : new LastCut(0, 0, null, false, Map.of());
        var base = base();
        var deltas = committed == null
                ? List.<Delta>of()
                : base == null
                        ? committed.deltas()
                        : committed.deltas().stream()
                                .filter(delta -> delta.epoch() > base.epoch())
                                .toList();
        var states = state == null && committed != null ? committed.states() : stateEntries();
        var snapshot = new TaskSnapshot(id, next, now, lastCut, base, deltas, states);
        var changes = state == null ? null : state.freeze(id, next);
        return new SealedEpoch.TaskEpoch(snapshot, changes, aligned != null);
    }

    private static TaskSnapshot withCut(TaskSnapshot snapshot, LastCut cut) {
        return new TaskSnapshot(
                snapshot.task(),
                snapshot.epoch(),
                snapshot.positions(),
                cut,
                snapshot.base(),
                snapshot.deltas(),
                snapshot.states());
    }
}
