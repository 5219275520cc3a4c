package dev.weir.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ControlRecord.CheckpointStarted;
import dev.weir.barrier.ControlRecord.Declined;
import dev.weir.barrier.ControlRecord.SlotRegistered;
import dev.weir.barrier.ControlRecord.TaskRegistered;
import dev.weir.barrier.DomainState;
import dev.weir.barrier.ManifestRef;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.topology.TaskId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/** Three leaders, one control topic, one store and their workers, driven by one seed. */
final class LeaderSimulation {

    private static final CoordinatorSettings SETTINGS = new CoordinatorSettings(
            "shop",
            Scenario.SETTINGS.sources(),
            Duration.ofMillis(500),
            Duration.ofMillis(4_000),
            Duration.ofMillis(2_000),
            25);

    private final Random random;
    private final Map<Long, Outcome> store = new HashMap<>();
    private final Map<Long, Long> startedAt = new HashMap<>();
    private final Map<Long, Integer> startedInEra = new HashMap<>();
    private final Set<Long> injected = new HashSet<>();
    private final TopicAudit audit = new TopicAudit(store);
    private final List<Process> processes = List.of(new Process(), new Process(), new Process());
    private long millis = 1_000;
    private int era;
    private int tasks;
    private int lives;
    private long trimmedBelow;
    private boolean healthy;

    LeaderSimulation(long seed) {
        this.random = new Random(seed);
    }

    List<ControlRecord> topic() {
        return audit.topic();
    }

    long trimmedBelow() {
        return trimmedBelow;
    }

    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            step();
        }
    }

    /** Everything works and one process leads: all that was open must be decided, and a later checkpoint must complete. */
    void heal() {
        healthy = true;
        processes.forEach(process -> process.on(new Event.Deposed()));
        processes.get(0).on(new Event.Elected());
        long openAtMost = audit.state().highestStarted();
        long completedBefore =
                store.values().stream().filter(Outcome.COMPLETE::equals).count();
        register();
        for (int i = 0; i < 3_000; i++) {
            millis += 10;
            processes.get(0).work();
            acknowledgeAll();
        }
        assertThat(audit.state().open().keySet()).allMatch(id -> id > openAtMost);
        assertThat(store.values().stream().filter(Outcome.COMPLETE::equals).count())
                .isGreaterThan(completedBefore);
    }

    private void step() {
        var process = processes.get(random.nextInt(processes.size()));
        int what = random.nextInt(100);
        if (what < 1) {
            process.on(random.nextInt(3) > 0 ? new Event.Elected() : new Event.Deposed());
        } else if (what < 50) {
            process.work();
        } else if (what < 75) {
            millis += random.nextInt(100);
        } else if (what < 77) {
            register();
        } else if (what < 78 && !audit.state().open().isEmpty() && tasks > 0) {
            audit.append(new Declined(audit.state().highestStarted(), 1, task(), "it is beyond"));
        } else if (what < 80 && random.nextInt(8) == 0) {
            audit.append(new SlotRegistered("s" + random.nextInt(3), "g", "m", List.of("tx"), "t" + lives++));
        } else if (tasks > 0 && audit.state().highestStarted() > 0) {
            long id = Math.max(1, audit.state().highestStarted() - random.nextInt(2));
            audit.append(Scenario.acknowledged(id, task()));
        }
    }

    private TaskId task() {
        return new TaskId("totals", random.nextInt(tasks));
    }

    private void register() {
        if (tasks < 6) {
            audit.append(new TaskRegistered(new TaskId("totals", tasks++), "s"));
        }
    }

    private void acknowledgeAll() {
        for (var open : audit.state().open().values()) {
            for (var task : open.tasks()) {
                if (open.markers() != null && !open.acknowledged().containsKey(task)) {
                    audit.append(Scenario.acknowledged(open.id(), task));
                }
            }
        }
    }

    private enum Fate {
        DONE,
        DONE_BUT_FAILED,
        NOT_DONE
    }

    private Fate fate() {
        int roll = healthy ? 0 : random.nextInt(20);
        return roll < 17 ? Fate.DONE : roll < 18 ? Fate.DONE_BUT_FAILED : Fate.NOT_DONE;
    }

    private final class Process {

        private final Leader leader = new Leader(SETTINGS);
        private final Deque<Decision> jobs = new ArrayDeque<>();
        private int read;
        private int myEra = -1;
        private boolean elected;

        void on(Event event) {
            if (event instanceof Event.Elected || event instanceof Event.Deposed) {
                elected = event instanceof Event.Elected;
            }
            for (var decision : leader.on(event, new Moment(millis, millis))) {
                take(decision);
            }
        }

        private void take(Decision decision) {
            if (decision instanceof Decision.GiveUp) {
                // What is already running may still take effect; nobody hears of it.
                if (!jobs.isEmpty() && random.nextBoolean()) {
                    effect(jobs.peek());
                }
                jobs.clear();
                return;
            }
            if (decision instanceof Decision.Tell) {
                return;
            }
            assertThat(elected)
                    .as("decided without being elected: %s", decision)
                    .isTrue();
            if (decision instanceof Decision.Inject inject) {
                assertThat(startedInEra.get(inject.checkpoint()))
                        .as("markers of a checkpoint that another leader started")
                        .isEqualTo(myEra);
                assertThat(injected.add(inject.checkpoint()))
                        .as("injected twice")
                        .isTrue();
            }
            if (decision instanceof Decision.Trim trim) {
                trimmedBelow = Math.max(trimmedBelow, trim.belowOffset());
            } else {
                jobs.add(decision);
            }
        }

        void work() {
            if (!jobs.isEmpty() && (healthy || random.nextInt(3) == 0)) {
                finish(jobs.remove());
            }
            int upTo = healthy ? topic().size() : Math.min(topic().size(), read + random.nextInt(4));
            while (read < upTo) {
                on(new Event.Read(read, topic().get(read++)));
            }
            if (leader.phase() == Leader.Phase.CATCHING_UP && read == topic().size()) {
                on(new Event.CaughtUp());
            }
            on(new Event.Tick());
        }

        private void finish(Decision job) {
            var fate = fate();
            var answer = fate == Fate.NOT_DONE ? failure(job) : effect(job);
            on(fate == Fate.DONE_BUT_FAILED ? failure(job) : answer);
        }

        private Event effect(Decision job) {
            if (job instanceof Decision.OpenWriter) {
                myEra = ++era;
                return new Event.WriterOpened();
            } else if (job instanceof Decision.Publish publish) {
                return publish(publish.records());
            } else if (job instanceof Decision.DescribeSources) {
                return new Event.SourcesDescribed(Map.of("orders", 2));
            } else if (job instanceof Decision.Inject inject) {
                return new Event.MarkersWritten(
                        inject.checkpoint(),
                        inject.partitions().stream().collect(Collectors.toMap(partition -> partition, partition ->
                                (long) partition.partition())));
            } else if (job instanceof Decision.Verify verify) {
                assertThat(verify.checkpoint().isAcknowledged()).isTrue();
                boolean wrong = !healthy && random.nextInt(10) == 0;
                return new Event.Verified(verify.checkpoint().id(), wrong ? List.of("wrong") : List.of());
            } else if (job instanceof Decision.Rule rule) {
                long id = rule.checkpoint().id();
                var standing = Objects.requireNonNullElse(store.putIfAbsent(id, rule.outcome()), rule.outcome());
                return new Event.Ruled(
                        id, standing, "r", startedAt.getOrDefault(id, -1L), new ManifestRef("checkpoints/" + id, "ab"));
            } else if (job instanceof Decision.Look) {
                return new Event.MembersSeen(Map.of("g", random.nextInt(4) == 0 ? Set.of("m") : Set.of()));
            } else if (job instanceof Decision.Fence fence) {
                return new Event.Fenced(fence.slot().slot(), fence.slot().token());
            }
            throw new AssertionError("Unknown job " + job);
        }

        private Event publish(List<ControlRecord.Decided> records) {
            if (myEra != era) {
                return new Event.WriterFailed(true, "fenced");
            }
            for (var record : records) {
                if (record instanceof CheckpointStarted started) {
                    startedAt.put(started.checkpoint(), started.startedAtMillis());
                    startedInEra.put(started.checkpoint(), era);
                }
                audit.append(record);
            }
            return new Event.Published();
        }

        private Event failure(Decision job) {
            if (job instanceof Decision.OpenWriter || job instanceof Decision.Publish) {
                return new Event.WriterFailed(false, "timed out");
            } else if (job instanceof Decision.DescribeSources) {
                return new Event.SourcesUnknown("timed out");
            } else if (job instanceof Decision.Inject inject) {
                return new Event.MarkersFailed(inject.checkpoint(), "timed out");
            } else if (job instanceof Decision.Verify verify) {
                return new Event.StoreFailed(verify.checkpoint().id(), "503");
            } else if (job instanceof Decision.Rule rule) {
                return new Event.StoreFailed(rule.checkpoint().id(), "503");
            } else if (job instanceof Decision.Look) {
                return new Event.MembersUnknown("timed out");
            } else if (job instanceof Decision.Fence fence) {
                return new Event.FenceFailed(fence.slot().slot(), fence.slot().token(), "timed out");
            }
            throw new AssertionError("Unknown job " + job);
        }
    }

    /** All records from an offset on, as a process that starts now would read them. */
    static ControlFold foldFrom(List<ControlRecord> topic, long from) {
        var fold = new ControlFold();
        for (int offset = (int) from; offset < topic.size(); offset++) {
            fold.read(offset, topic.get(offset));
        }
        return fold;
    }

    List<ControlRecord> copyOfTopic() {
        return new ArrayList<>(audit.topic());
    }

    DomainState state() {
        return audit.state();
    }
}
