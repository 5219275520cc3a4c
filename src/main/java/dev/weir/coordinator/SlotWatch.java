package dev.weir.coordinator;

import dev.weir.barrier.ControlRecord.Decided;
import dev.weir.barrier.ControlRecord.SlotFenced;
import dev.weir.barrier.ControlRecord.SlotRegistered;
import dev.weir.barrier.DomainState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds registered slots whose member has left its group for good. A registration with another token is another life of its slot. */
final class SlotWatch {

    private static final long NEVER = Long.MAX_VALUE;

    private enum Stage {
        WATCHED,
        FENCING,
        FENCED
    }

    private record Watched(String token, long sinceMillis, long absentSinceMillis, Stage stage) {

        Watched absentSince(long millis) {
            return new Watched(token, sinceMillis, millis, stage);
        }

        Watched at(Stage newStage) {
            return new Watched(token, sinceMillis, absentSinceMillis, newStage);
        }
    }

    private final long graceMillis;
    private final Map<String, Watched> slots = new HashMap<>();

    SlotWatch(long graceMillis) {
        this.graceMillis = graceMillis;
    }

    /** Takes over who is registered now. */
    void update(DomainState state, long nowMillis) {
        slots.keySet().retainAll(state.slots().keySet());
        for (var slot : state.slots().values()) {
            var known = slots.get(slot.slot());
            if (known == null || !known.token().equals(slot.token())) {
                slots.put(slot.slot(), new Watched(slot.token(), nowMillis, NEVER, Stage.WATCHED));
            }
        }
    }

    /** Forgets all looks and all fencing under way. */
    void forgetLooks() {
        slots.replaceAll((slot, watched) -> watched.absentSince(NEVER).at(Stage.WATCHED));
    }

    /**
     * Takes note of a look.
     *
     * @param instances the members by group; nothing is concluded for a group that is left out
     * @param askedMillis when the question was asked
     * @param nowMillis when the answer came
     * @return the slots to be fenced now
     */
    List<SlotRegistered> seen(Map<String, Set<String>> instances, DomainState state, long askedMillis, long nowMillis) {
        var dead = new ArrayList<SlotRegistered>();
        for (var slot : state.slots().values()) {
            var watched = slots.get(slot.slot());
            var members = instances.get(slot.group());
            if (watched == null || members == null || watched.stage() != Stage.WATCHED) {
                continue;
            }
            if (members.contains(slot.memberInstance())) {
                slots.put(slot.slot(), watched.absentSince(NEVER));
            } else if (watched.absentSinceMillis() == NEVER) {
                slots.put(slot.slot(), watched.absentSince(nowMillis));
            } else if (askedMillis - watched.absentSinceMillis() >= graceMillis
                    && askedMillis - watched.sinceMillis() >= graceMillis) {
                slots.put(slot.slot(), watched.at(Stage.FENCING));
                dead.add(slot);
            }
        }
        return dead;
    }

    void fenced(String slot, String token) {
        change(slot, token, Stage.FENCED);
    }

    /** It is fenced after the next look that still does not find it. */
    void fenceFailed(String slot, String token) {
        change(slot, token, Stage.WATCHED);
    }

    /** What is to be published about slots that have been fenced. */
    List<Decided> fencedSlots() {
        var records = new ArrayList<Decided>();
        slots.forEach((slot, watched) -> {
            if (watched.stage() == Stage.FENCED) {
                records.add(new SlotFenced(slot, watched.token()));
            }
        });
        return records;
    }

    private void change(String slot, String token, Stage stage) {
        slots.computeIfPresent(slot, (name, watched) -> watched.token().equals(token) ? watched.at(stage) : watched);
    }
}
