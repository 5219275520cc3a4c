package dev.weir.coordinator;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ControlRecord.CheckpointAbandoned;
import dev.weir.barrier.ControlRecord.CheckpointCompleted;
import dev.weir.barrier.ControlRecord.CheckpointStarted;
import dev.weir.barrier.ControlRecord.Decided;
import dev.weir.barrier.ControlRecord.FullState;
import dev.weir.barrier.ControlRecord.MarkersPlaced;
import dev.weir.barrier.ControlRecord.SlotFenced;
import dev.weir.barrier.ControlRecord.SlotRegistered;
import dev.weir.barrier.ControlRecord.TaskAdmitted;
import dev.weir.barrier.DomainState;
import dev.weir.barrier.DomainState.OpenCheckpoint;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What a process decides while it leads. It publishes one transaction at a time, and the next only after it has read the last one back,
 * so every decision follows from the topic alone.
 */
final class Term {

    private final CoordinatorSettings settings;
    private final ControlFold fold;
    private final Agenda agenda;
    private final SlotWatch slots;
    private final Sources sources;
    private final TreeMap<Long, Course> courses = new TreeMap<>();
    /** What was published and not yet read back. */
    private final Deque<Decided> unread = new ArrayDeque<>();

    /** What was read back before it is known to be written: another leader may have written the very same. */
    private final List<ControlRecord> unconfirmed = new ArrayList<>();

    private boolean publishing;
    private boolean looking;
    private long lookedMillis;
    private long nextLookMillis;

    Term(CoordinatorSettings settings, ControlFold fold, Agenda agenda, SlotWatch slots) {
        this.settings = settings;
        this.fold = fold;
        this.agenda = agenda;
        this.slots = slots;
        this.sources = new Sources(settings.sources());
    }

    /** Takes up every open checkpoint. An earlier leader's markers are never written again. */
    void begin(Moment now, List<Decision> out) {
        out.add(new Decision.Tell(new Notice.Leading(state().open().size())));
        nextLookMillis = now.millis();
        agenda.nextStart(now.millis() + settings.checkpointInterval().toMillis());
        for (var open : state().open().values()) {
            deadline(open.id(), now);
            if (open.markers() == null) {
                abandon(open.id(), "its markers had not all been placed when a new leader took over", out);
            } else {
                courses.put(open.id(), new Course.Waiting());
            }
        }
        proceed(now, out);
    }

    void on(Event event, Moment now, List<Decision> out) {
        if (event instanceof Event.Published) {
            publishing = false;
            for (var record : List.copyOf(unconfirmed)) {
                follow(record, now, out);
            }
            unconfirmed.clear();
        } else if (event instanceof Event.SourcesDescribed described) {
            sources.described(described.partitions(), now.millis(), out);
        } else if (event instanceof Event.SourcesUnknown unknown) {
            sources.unknown(now.millis() + Leader.RETRY_MILLIS);
            out.add(new Decision.Tell(new Notice.Retrying("look the source topics up", unknown.reason())));
        } else if (event instanceof Event.MarkersWritten written) {
            if (at(written.checkpoint(), course -> course instanceof Course.Injecting)) {
                courses.put(written.checkpoint(), new Course.Placed(written.offsets()));
            }
        } else if (event instanceof Event.MarkersFailed failed) {
            if (at(failed.checkpoint(), course -> course instanceof Course.Injecting)) {
                abandon(failed.checkpoint(), "its markers could not be written: " + failed.reason(), out);
            }
        } else if (event instanceof Event.Verified verified) {
            onVerified(verified, out);
        } else if (event instanceof Event.Ruled ruled) {
            onRuled(ruled, out);
        } else if (event instanceof Event.StoreFailed failed) {
            onStoreFailed(failed, now, out);
        } else {
            onSlots(event, now, out);
        }
        proceed(now, out);
    }

    /** Takes a record that the fold has taken; returns false if another leader wrote it. */
    boolean read(ControlRecord record, DomainState before, Moment now, List<Decision> out) {
        if (record instanceof Decided) {
            if (!record.equals(unread.peek())) {
                return false;
            }
            unread.remove();
            tell(record, before, now, out);
            if (publishing) {
                unconfirmed.add(record);
            } else {
                follow(record, now, out);
            }
        }
        proceed(now, out);
        return true;
    }

    /** What was published and has not been read back. */
    List<Decided> unread() {
        return List.copyOf(unread);
    }

    private void follow(ControlRecord record, Moment now, List<Decision> out) {
        if (record instanceof CheckpointStarted started) {
            deadline(started.checkpoint(), now);
            courses.put(started.checkpoint(), new Course.Injecting());
            out.add(new Decision.Inject(started.checkpoint(), started.incarnation(), started.partitions()));
        } else if (record instanceof MarkersPlaced placed) {
            if (at(placed.checkpoint(), course -> course instanceof Course.Placed)) {
                courses.put(placed.checkpoint(), new Course.Waiting());
            }
        } else if (record instanceof CheckpointCompleted completed) {
            courses.remove(completed.checkpoint());
        } else if (record instanceof CheckpointAbandoned abandoned) {
            courses.remove(abandoned.checkpoint());
        } else if (record instanceof FullState && fold.previousCovers() > 0) {
            // Below the one before the newest: readers that are a full state behind still find their records.
            out.add(new Decision.Trim(fold.previousCovers()));
        }
    }

    private void onVerified(Event.Verified verified, List<Decision> out) {
        if (!at(verified.checkpoint(), course -> course instanceof Course.Verifying)) {
            return;
        }
        if (verified.findings().isEmpty()) {
            take(verified.checkpoint(), new Course.Ruling(Outcome.COMPLETE, null), out);
        } else {
            out.add(new Decision.Tell(new Notice.Inconsistent(verified.checkpoint(), verified.findings())));
            abandon(verified.checkpoint(), "its cut is not consistent: " + someOf(verified.findings()), out);
        }
    }

    private static String someOf(List<String> findings) {
        var some = findings.stream().limit(5).collect(Collectors.joining("; "));
        return findings.size() > 5 ? some + "; and " + (findings.size() - 5) + " more" : some;
    }

    private void onRuled(Event.Ruled ruled, List<Decision> out) {
        long id = ruled.checkpoint();
        if (!at(id, course -> course instanceof Course.Ruling)) {
            return;
        }
        if (open(id).startedAtMillis() != ruled.startedAtMillis()) {
            out.add(new Decision.Tell(new Notice.IdTaken(id)));
            courses.put(
                    id,
                    new Course.Decided(new CheckpointAbandoned(
                            id, "the object store holds a decision about another checkpoint of the same id")));
        } else if (ruled.outcome() == Outcome.COMPLETE) {
            courses.put(id, new Course.Decided(new CheckpointCompleted(id, ruled.manifest())));
        } else {
            var reason = ruled.reason() == null ? "no reason is recorded" : ruled.reason();
            courses.put(id, new Course.Decided(new CheckpointAbandoned(id, reason)));
        }
    }

    private void onStoreFailed(Event.StoreFailed failed, Moment now, List<Decision> out) {
        var course = courses.get(failed.checkpoint());
        if (course instanceof Course.Verifying || course instanceof Course.Ruling) {
            courses.put(failed.checkpoint(), new Course.Resting(now.millis() + Leader.RETRY_MILLIS, course));
            out.add(new Decision.Tell(
                    new Notice.Retrying("decide checkpoint " + failed.checkpoint(), failed.reason())));
        }
    }

    private void onSlots(Event event, Moment now, List<Decision> out) {
        if (event instanceof Event.MembersSeen seen) {
            looking = false;
            for (var dead : slots.seen(seen.instances(), state(), lookedMillis, now.millis())) {
                out.add(new Decision.Fence(dead));
            }
        } else if (event instanceof Event.MembersUnknown unknown) {
            looking = false;
            out.add(new Decision.Tell(new Notice.Retrying("see who is in the groups", unknown.reason())));
        } else if (event instanceof Event.Fenced fenced) {
            slots.fenced(fenced.slot(), fenced.token());
        } else if (event instanceof Event.FenceFailed failed) {
            slots.fenceFailed(failed.slot(), failed.token());
            out.add(new Decision.Tell(new Notice.Retrying("fence slot " + failed.slot(), failed.reason())));
        }
    }

    private void proceed(Moment now, List<Decision> out) {
        for (long id : List.copyOf(courses.keySet())) {
            advance(id, now, out);
        }
        lookIfDue(now, out);
        publishIfFree(now, out);
    }

    private void advance(long id, Moment now, List<Decision> out) {
        var course = courses.get(id);
        if (course instanceof Course.Resting resting) {
            if (now.millis() >= resting.untilMillis()) {
                take(id, now.millis() >= deadline(id, now) ? outOfTime(resting.next()) : resting.next(), out);
            }
        } else if (course instanceof Course.Waiting && open(id).isAcknowledged()) {
            take(id, new Course.Verifying(), out);
        } else if (course instanceof Course.Injecting
                || course instanceof Course.Placed
                || course instanceof Course.Waiting) {
            var declined = agenda.declined(id);
            if (declined != null) {
                abandon(id, declined, out);
            } else if (now.millis() >= deadline(id, now)) {
                abandon(id, lateness(id, course), out);
            }
        }
    }

    /** Past the deadline a cut is not examined any more; what the store was asked to hold it is asked again, to learn what it holds. */
    private static Course outOfTime(Course next) {
        return next instanceof Course.Verifying
                ? new Course.Ruling(Outcome.ABANDONED, "its cut could not be examined in time")
                : next;
    }

    private String lateness(long id, Course course) {
        if (!(course instanceof Course.Waiting)) {
            return "its markers were not placed in time";
        }
        var missing = new TreeSet<TaskId>(open(id).tasks());
        missing.removeAll(open(id).acknowledged().keySet());
        var some = missing.stream().limit(10).map(TaskId::toString).collect(Collectors.joining(", "));
        return missing.size() + " of " + open(id).tasks().size() + " tasks did not acknowledge it in time: " + some
                + (missing.size() > 10 ? ", …" : "");
    }

    private void abandon(long id, String reason, List<Decision> out) {
        take(id, new Course.Ruling(Outcome.ABANDONED, reason), out);
    }

    private void take(long id, Course course, List<Decision> out) {
        courses.put(id, course);
        var state = state();
        if (course instanceof Course.Verifying) {
            out.add(new Decision.Verify(open(id), state.incarnation(), state.lineage()));
        } else if (course instanceof Course.Ruling ruling) {
            out.add(new Decision.Rule(
                    open(id), state.incarnation(), state.lineage(), ruling.outcome(), ruling.reason()));
        }
    }

    private void lookIfDue(Moment now, List<Decision> out) {
        if (looking || now.millis() < nextLookMillis || state().slots().isEmpty()) {
            return;
        }
        looking = true;
        lookedMillis = now.millis();
        nextLookMillis = now.millis() + Math.max(1, settings.slotGrace().toMillis() / 2);
        out.add(new Decision.Look(
                state().slots().values().stream().map(SlotRegistered::group).collect(Collectors.toSet())));
    }

    private void publishIfFree(Moment now, List<Decision> out) {
        if (publishing || !unread.isEmpty()) {
            return;
        }
        var batch = new ArrayList<Decided>();
        courses.forEach((id, course) -> {
            if (course instanceof Course.Decided decided) {
                batch.add(decided.record());
            } else if (course instanceof Course.Placed placed) {
                batch.add(new MarkersPlaced(id, placed.offsets()));
            }
        });
        batch.addAll(slots.fencedSlots());
        var projected = state();
        for (var record : batch) {
            projected = projected.after(record);
        }
        projected = admit(projected, batch);
        startIfDue(projected, now, batch, out);
        if (fold.sinceFullState() >= settings.fullStateEvery()) {
            batch.add(new FullState(fold.next(), state()));
        }
        if (!batch.isEmpty()) {
            publishing = true;
            unread.addAll(batch);
            out.add(new Decision.Publish(List.copyOf(batch)));
        }
    }

    private static DomainState admit(DomainState state, List<Decided> batch) {
        var projected = state;
        for (var task : new TreeMap<>(state.tasks()).entrySet()) {
            if (task.getValue() < 0) {
                var admitted = new TaskAdmitted(task.getKey(), state.highestStarted());
                batch.add(admitted);
                projected = projected.after(admitted);
            }
        }
        return projected;
    }

    private void startIfDue(DomainState projected, Moment now, List<Decided> batch, List<Decision> out) {
        long interval = settings.checkpointInterval().toMillis();
        if (!projected.open().isEmpty()
                || projected.tasks().isEmpty()
                || now.millis() < agenda.nextStart(now.millis() + interval)) {
            return;
        }
        if (sources.areFresh(now.millis())) {
            agenda.startNotBefore(now.millis() + interval);
            batch.add(new CheckpointStarted(
                    projected.highestStarted() + 1,
                    projected.incarnation(),
                    now.wallMillis(),
                    sources.partitions(),
                    Set.copyOf(projected.tasks().keySet())));
        } else {
            sources.describeIfNeeded(now.millis(), out);
        }
    }

    /** Tells of what a record that this process published means to people. */
    static void tell(ControlRecord record, DomainState before, Moment now, List<Decision> out) {
        if (record instanceof CheckpointStarted started) {
            out.add(new Decision.Tell(new Notice.Started(
                    started.checkpoint(),
                    started.tasks().size(),
                    started.partitions().size())));
        } else if (record instanceof CheckpointCompleted completed) {
            var open = before.open().get(completed.checkpoint());
            if (open != null) {
                Map<TopicPartition, Long> markers = open.markers() == null ? Map.of() : open.markers();
                out.add(new Decision.Tell(new Notice.Completed(
                        open.id(), took(open, now), open.tasks().size(), markers.size())));
            }
        } else if (record instanceof CheckpointAbandoned abandoned) {
            var open = before.open().get(abandoned.checkpoint());
            if (open != null) {
                out.add(new Decision.Tell(new Notice.Abandoned(
                        open.id(),
                        took(open, now),
                        open.tasks().size(),
                        open.acknowledged().size(),
                        abandoned.reason())));
            }
        } else if (record instanceof SlotFenced fenced) {
            out.add(new Decision.Tell(new Notice.SlotFenced(fenced.slot())));
        }
    }

    private static long took(OpenCheckpoint open, Moment now) {
        return Math.max(0, now.wallMillis() - open.startedAtMillis());
    }

    private long deadline(long id, Moment now) {
        return agenda.deadline(id, now.millis() + settings.checkpointTimeout().toMillis());
    }

    private boolean at(long id, Predicate<Course> test) {
        var course = courses.get(id);
        return course != null && test.test(course);
    }

    private OpenCheckpoint open(long id) {
        var open = state().open().get(id);
        if (open == null) {
            throw new IllegalStateException(
                    "Cannot decide checkpoint " + id + ": it is not open, though this leader has not closed it.");
        }
        return open;
    }

    private DomainState state() {
        return fold.state();
    }
}
