package dev.weir.coordinator;

import dev.weir.barrier.ControlRecord.SlotRegistered;
import dev.weir.barrier.DomainState;
import dev.weir.coordinator.CoordinatorSettings.SourceTopic;
import dev.weir.failure.FencedException;
import dev.weir.failure.TransientException;
import dev.weir.failure.WeirException;
import dev.weir.kafka.ControlReader;
import dev.weir.kafka.KafkaCluster;
import dev.weir.kafka.Leadership;
import dev.weir.snapshot.SnapshotStore;
import dev.weir.status.CheckpointStatus;
import dev.weir.time.Background;
import dev.weir.time.Clock;
import dev.weir.time.Tokens;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One process's part in the coordination of a domain: takes part in the election, reads the control topic, and does what {@link Leader}
 * decides. {@link #step} and {@link #close} belong to one thread; the questions may be asked from any. Whatever may block for long
 * runs in the background.
 */
public final class Coordinator implements AutoCloseable {

    private static final String WRITING = "leader";
    private static final String JUDGING = "leader-store";
    private static final String LOOKING = "leader-groups";

    private final CoordinatorSettings settings;
    private final KafkaCluster cluster;
    private final Background background;
    private final Clock clock;
    private final Leader leader;
    private final LeaderClients clients;
    private final CheckpointJudge judge;
    private final CheckpointHistory history = new CheckpointHistory();
    private final Announcer announcer;
    private final Map<Long, Background.Job> underway = new TreeMap<>();
    private long submitted;
    private @Nullable Leadership leadership;
    private @Nullable ControlReader reader;
    /** Whether the control topic has been read to its end once, so that what is read now was written now. */
    private boolean live;

    private long notBeforeMillis = Long.MIN_VALUE;
    private volatile boolean isLeader;
    /** For background work that must look again right before it acts. */
    private volatile DomainState latest = DomainState.empty();

    /**
     * A coordinator that has not done anything yet.
     *
     * @param settings the same in every process of the domain
     * @param cluster stays the caller's to close
     * @param store the domain's snapshots
     * @param listener is told of the checkpoints that this process leads
     * @param background this coordinator's own; closed with it
     */
    public Coordinator(
            CoordinatorSettings settings,
            KafkaCluster cluster,
            SnapshotStore store,
            CheckpointListener listener,
            Background background,
            Clock clock,
            Tokens tokens) {
        this.settings = settings;
        this.cluster = cluster;
        this.background = background;
        this.clock = clock;
        this.leader = new Leader(settings);
        this.clients = new LeaderClients(cluster, settings);
        this.judge = new CheckpointJudge(settings.domain(), store, tokens, clock);
        this.announcer = new Announcer(settings.domain(), listener);
    }

    /**
     * Takes part in the election, reads what is new on the control topic and acts on it. To be called again and again.
     *
     * @param atMost how long to wait for something to happen
     * @throws WeirException if what failed will not get better by trying again
     */
    public void step(Duration atMost) {
        background.deliver();
        if (clock.millis() < notBeforeMillis) {
            background.await(atMost);
        } else {
            try {
                elect();
                read(atMost);
            } catch (TransientException e) {
                notBeforeMillis = clock.millis() + Leader.RETRY_MILLIS;
                announcer.tell(new Notice.Retrying("follow the control topic", describe(e)));
            }
        }
        apply(new Event.Tick());
    }

    private void elect() {
        var election = leadership;
        if (election == null) {
            election = cluster.openLeadership();
            leadership = election;
        }
        election.poll(Duration.ZERO);
        if (election.isLeader() != isLeader) {
            apply(election.isLeader() ? new Event.Elected() : new Event.Deposed());
        }
    }

    private void read(Duration atMost) {
        var open = reader;
        if (open == null) {
            open = cluster.openControlReader();
            reader = open;
        }
        try {
            for (var positioned : open.poll(atMost)) {
                var before = leader.state();
                apply(new Event.Read(positioned.offset(), positioned.record()));
                history.changed(
                        before,
                        leader.state(),
                        positioned.record(),
                        live ? clock.wallMillis() : CheckpointHistory.NOT_KNOWN);
            }
            if ((!live || leader.phase() == Leader.Phase.CATCHING_UP) && open.isAtEnd()) {
                live = true;
                apply(new Event.CaughtUp());
            }
        } catch (TransientException e) {
            throw e;
        } catch (WeirException e) {
            reader = null;
            live = false;
            open.close();
            apply(new Event.ReadingAgain(describe(e)));
            throw new TransientException("Cannot read the control topic: " + describe(e) + "; it is read again", e);
        }
    }

    private void apply(Event event) {
        var decisions = leader.on(event, new Moment(clock.millis(), clock.wallMillis()));
        latest = leader.state();
        isLeader = leader.phase() != Leader.Phase.FOLLOWING;
        decisions.forEach(this::perform);
    }

    private void perform(Decision decision) {
        if (decision instanceof Decision.OpenWriter) {
            write(clients::open, new Event.WriterOpened());
        } else if (decision instanceof Decision.GiveUp) {
            giveUp();
        } else if (decision instanceof Decision.Publish publish) {
            write(() -> clients.append(publish.records()), new Event.Published());
        } else if (decision instanceof Decision.DescribeSources) {
            submit(LOOKING, this::describeSources, e -> new Event.SourcesUnknown(describe(e)));
        } else if (decision instanceof Decision.Inject inject) {
            submit(
                    WRITING,
                    () -> new Event.MarkersWritten(inject.checkpoint(), clients.place(inject)),
                    e -> new Event.MarkersFailed(inject.checkpoint(), describe(e)));
        } else if (decision instanceof Decision.Verify verify) {
            submit(
                    JUDGING,
                    () -> judge.examine(verify),
                    e -> new Event.StoreFailed(verify.checkpoint().id(), describe(e)));
        } else if (decision instanceof Decision.Rule rule) {
            submit(
                    JUDGING,
                    () -> judge.rule(rule),
                    e -> new Event.StoreFailed(rule.checkpoint().id(), describe(e)));
        } else if (decision instanceof Decision.Look look) {
            submit(LOOKING, () -> look(look.groups()), e -> new Event.MembersUnknown(describe(e)));
        } else if (decision instanceof Decision.Fence fence) {
            var slot = fence.slot();
            submit(LOOKING, () -> fence(slot), e -> new Event.FenceFailed(slot.slot(), slot.token(), describe(e)));
        } else if (decision instanceof Decision.Trim trim) {
            track(
                    LOOKING,
                    () -> {
                        cluster.trimControl(trim.belowOffset());
                        return trim;
                    },
                    done -> {},
                    e -> announcer.tell(new Notice.Retrying("trim the control topic", describe(e))));
        } else if (decision instanceof Decision.Tell tell) {
            announcer.tell(tell.notice());
        }
    }

    private void giveUp() {
        underway.values().forEach(Background.Job::cancel);
        underway.clear();
        // In the lane of the writer, behind what may still be running there; not tracked, since nothing may cancel it.
        background.submit(
                WRITING,
                cancellation -> {
                    clients.close();
                    return true;
                },
                done -> {},
                e -> announcer.tell(new Notice.Retrying("close the leader's writer", describe(e))));
    }

    private Event describeSources() {
        var topics = settings.sources().stream().map(SourceTopic::topic).toList();
        var partitions = new HashMap<String, Integer>();
        cluster.describeTopics(topics).forEach((topic, description) -> partitions.put(topic, description.partitions()));
        return new Event.SourcesDescribed(Map.copyOf(partitions));
    }

    private Event look(Set<String> groups) {
        var seen = new HashMap<String, Set<String>>();
        WeirException failure = null;
        for (var group : groups) {
            try {
                seen.put(group, cluster.memberInstances(group));
            } catch (WeirException e) {
                failure = e;
            }
        }
        if (seen.isEmpty() && failure != null) {
            throw failure;
        }
        return new Event.MembersSeen(Map.copyOf(seen));
    }

    private Event fence(SlotRegistered slot) {
        var registered = latest.slots().get(slot.slot());
        if (registered == null || !registered.token().equals(slot.token())) {
            return new Event.FenceFailed(slot.slot(), slot.token(), "the slot was released or registered anew");
        }
        cluster.fence(slot.transactionalIds());
        return new Event.Fenced(slot.slot(), slot.token());
    }

    private void write(Runnable work, Event written) {
        submit(
                WRITING,
                () -> {
                    work.run();
                    return written;
                },
                e -> new Event.WriterFailed(e instanceof FencedException, describe(e)));
    }

    private void submit(String lane, Question question, Function<Throwable, Event> failed) {
        track(lane, question::ask, this::apply, e -> apply(failed.apply(e)));
    }

    private <T> void track(String lane, Callable<T> work, Consumer<T> done, Consumer<Throwable> failed) {
        long number = submitted++;
        underway.put(
                number,
                background.submit(
                        lane,
                        cancellation -> {
                            if (cancellation.requested()) {
                                throw new CancellationException("Not wanted any more");
                            }
                            return work.call();
                        },
                        result -> {
                            underway.remove(number);
                            done.accept(result);
                        },
                        e -> {
                            underway.remove(number);
                            failed.accept(e);
                        }));
    }

    @FunctionalInterface
    private interface Question {
        Event ask() throws Exception;
    }

    private static String describe(Throwable e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    /** The domain's newest checkpoints, newest first, 50 at most; also while another process leads. A time of −1 is not known. */
    public List<CheckpointStatus> checkpoints() {
        return history.newestFirst(clock.wallMillis());
    }

    /** The newest complete checkpoint, or null. A time of −1 is not known. */
    public @Nullable CheckpointStatus lastCompleted() {
        return history.lastCompleted();
    }

    /** Whether this process leads, as far as it knows. */
    public boolean isLeader() {
        return isLeader;
    }

    /** Gives leadership up at once, and closes. What is under way is dropped; the next leader decides it. */
    @Override
    public void close() {
        apply(new Event.Deposed());
        var openReader = reader;
        var openLeadership = leadership;
        reader = null;
        leadership = null;
        try (openLeadership;
                openReader;
                clients;
                background) {
            // Closed in the reverse order: nothing runs any more when the clients are closed.
        }
    }
}
