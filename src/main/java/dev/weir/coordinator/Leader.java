package dev.weir.coordinator;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ControlRecord.Decided;
import dev.weir.barrier.ControlRecord.Declined;
import dev.weir.barrier.DomainState;
import java.util.ArrayList;
import java.util.List;

/**
 * One process's part in the coordination of a domain. Events go in, decisions come out; it knows no Kafka, no clock and no threads.
 *
 * <p>Whether just elected or after a failure of its writer, it takes one and the same road: open the writer, which fences every earlier
 * one; read the control topic to its end; decide by what stands there. So a write with an unknown outcome is never guessed at.
 *
 * <pre>
 *   FOLLOWING → OPENING → CATCHING_UP → LEADING
 *                  ↑  ↘        ↓           ↓
 *                  └──── PAUSING ←─────────┘      any → FOLLOWING when deposed
 * </pre>
 */
final class Leader {

    static final long RETRY_MILLIS = 1_000;
    /** Longer than it takes to hear in the election that somebody else leads. */
    static final long FENCED_PAUSE_MILLIS = 5_000;

    /** Where a process stands. */
    enum Phase {
        FOLLOWING,
        OPENING,
        CATCHING_UP,
        LEADING,
        PAUSING
    }

    private final CoordinatorSettings settings;
    private final Agenda agenda = new Agenda();
    private final SlotWatch slots;
    private ControlFold fold = new ControlFold();
    private Phase phase = Phase.FOLLOWING;
    private long pausedUntilMillis;
    /** Decides while this process leads; replaced whenever that begins anew. */
    private Term term;
    /** What the last term wrote without hearing whether it stands on the topic. */
    private List<Decided> doubtful = List.of();

    Leader(CoordinatorSettings settings) {
        this.settings = settings;
        this.slots = new SlotWatch(settings.slotGrace().toMillis());
        this.term = newTerm();
    }

    Phase phase() {
        return phase;
    }

    DomainState state() {
        return fold.state();
    }

    /** Takes an event and returns what is to be done, in order. */
    List<Decision> on(Event event, Moment now) {
        var decisions = new ArrayList<Decision>();
        if (event instanceof Event.Read read) {
            onRead(read, now, decisions);
        } else if (event instanceof Event.ReadingAgain again) {
            onReadingAgain(again, now, decisions);
        } else if (event instanceof Event.Elected) {
            onElected(decisions);
        } else if (event instanceof Event.Deposed) {
            onDeposed(decisions);
        } else if (event instanceof Event.WriterOpened) {
            if (phase == Phase.OPENING) {
                phase = Phase.CATCHING_UP;
            }
        } else if (event instanceof Event.WriterFailed failed) {
            if (phase != Phase.FOLLOWING && phase != Phase.PAUSING) {
                pause(failed.fenced() ? FENCED_PAUSE_MILLIS : RETRY_MILLIS, failed.reason(), now, decisions);
                if (failed.fenced()) {
                    // Nothing of it was written; an equal record is the other leader's.
                    doubtful = List.of();
                }
            }
        } else if (event instanceof Event.CaughtUp) {
            onCaughtUp(now, decisions);
        } else if (phase == Phase.LEADING) {
            term.on(event, now, decisions);
        } else if (event instanceof Event.Tick && phase == Phase.PAUSING && now.millis() >= pausedUntilMillis) {
            open(decisions);
        }
        return decisions;
    }

    private void onElected(List<Decision> decisions) {
        if (phase == Phase.FOLLOWING) {
            agenda.elected();
            doubtful = List.of();
            open(decisions);
        }
    }

    private void open(List<Decision> decisions) {
        phase = Phase.OPENING;
        decisions.add(new Decision.OpenWriter());
    }

    private void onDeposed(List<Decision> decisions) {
        if (phase != Phase.FOLLOWING) {
            phase = Phase.FOLLOWING;
            doubtful = List.of();
            decisions.add(new Decision.GiveUp());
            decisions.add(new Decision.Tell(new Notice.SteppedDown()));
        }
    }

    private void onCaughtUp(Moment now, List<Decision> decisions) {
        if (phase == Phase.CATCHING_UP) {
            phase = Phase.LEADING;
            doubtful = List.of();
            slots.forgetLooks();
            term = newTerm();
            term.begin(now, decisions);
        }
    }

    private void onReadingAgain(Event.ReadingAgain again, Moment now, List<Decision> decisions) {
        fold = new ControlFold();
        if (phase == Phase.CATCHING_UP || phase == Phase.LEADING) {
            pause(RETRY_MILLIS, again.reason(), now, decisions);
        }
    }

    private void onRead(Event.Read read, Moment now, List<Decision> decisions) {
        var before = fold.state();
        if (!fold.read(read.offset(), read.record())) {
            return;
        }
        slots.update(fold.state(), now.millis());
        remember(read.record());
        if (phase == Phase.LEADING) {
            if (!term.read(read.record(), before, now, decisions)) {
                pause(RETRY_MILLIS, "somebody else writes to the control topic as its leader", now, decisions);
            }
        } else if (doubtful.contains(read.record())) {
            Term.tell(read.record(), before, now, decisions);
        }
    }

    private void remember(ControlRecord record) {
        if (record instanceof Declined declined) {
            var open = fold.state().open().get(declined.checkpoint());
            if (open != null
                    && declined.incarnation() == fold.state().incarnation()
                    && !open.acknowledged().containsKey(declined.task())) {
                agenda.declined(declined.checkpoint(), declined.task() + " declined: " + declined.reason());
            }
        } else if (record instanceof ControlRecord.CheckpointCompleted completed) {
            agenda.closed(completed.checkpoint());
        } else if (record instanceof ControlRecord.CheckpointAbandoned abandoned) {
            agenda.closed(abandoned.checkpoint());
        }
    }

    private void pause(long millis, String reason, Moment now, List<Decision> decisions) {
        if (phase == Phase.LEADING) {
            doubtful = term.unread();
        }
        phase = Phase.PAUSING;
        pausedUntilMillis = now.millis() + millis;
        decisions.add(new Decision.GiveUp());
        decisions.add(new Decision.Tell(new Notice.Interrupted(reason)));
    }

    private Term newTerm() {
        return new Term(settings, fold, agenda, slots);
    }
}
