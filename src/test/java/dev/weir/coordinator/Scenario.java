package dev.weir.coordinator;

import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.ControlRecord.Acknowledged;
import dev.weir.barrier.ControlRecord.CheckpointStarted;
import dev.weir.barrier.ControlRecord.Decided;
import dev.weir.barrier.ControlRecord.TaskRegistered;
import dev.weir.barrier.ManifestRef;
import dev.weir.barrier.TaskCut;
import dev.weir.coordinator.CoordinatorSettings.MarkerMode;
import dev.weir.coordinator.CoordinatorSettings.SourceTopic;
import dev.weir.snapshot.CheckpointManifest.Outcome;
import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A leader, its control topic and its clock, moved by hand. */
final class Scenario {

    static final CoordinatorSettings SETTINGS = new CoordinatorSettings(
            "shop",
            List.of(new SourceTopic("orders", MarkerMode.IN_BAND)),
            Duration.ofMillis(10_000),
            Duration.ofMillis(60_000),
            Duration.ofMillis(45_000),
            1_000);
    static final TopicPartition ORDERS_0 = new TopicPartition("orders", 0);
    static final TopicPartition ORDERS_1 = new TopicPartition("orders", 1);
    static final Map<TopicPartition, Long> MARKERS = Map.of(ORDERS_0, 17L, ORDERS_1, 19L);
    static final TaskId TASK_0 = new TaskId("totals", 0);
    static final TaskId TASK_1 = new TaskId("totals", 1);
    static final long WALL = 1_700_000_000_000L;
    static final ManifestRef CHECKPOINT_REF = new ManifestRef("shop/checkpoints/1.json", "ab");

    final Leader leader;
    final List<Decision> all = new ArrayList<>();
    List<Decision> last = List.of();
    long millis = 1_000;
    long offset = 0;

    Scenario() {
        this(SETTINGS);
    }

    Scenario(CoordinatorSettings settings) {
        leader = new Leader(settings);
    }

    Scenario on(Event event) {
        last = leader.on(event, new Moment(millis, WALL + millis));
        all.addAll(last);
        return this;
    }

    Scenario after(long moreMillis) {
        millis += moreMillis;
        return on(new Event.Tick());
    }

    Scenario read(ControlRecord... records) {
        var decisions = new ArrayList<Decision>();
        for (var record : records) {
            on(new Event.Read(offset++, record));
            decisions.addAll(last);
        }
        last = decisions;
        return this;
    }

    /** The last publication is written and read back; the decisions of both. */
    Scenario stands() {
        var records = published();
        on(new Event.Published());
        var decisions = new ArrayList<>(last);
        for (var record : records) {
            read(record);
            decisions.addAll(last);
        }
        last = decisions;
        return this;
    }

    List<Decided> published() {
        var publications = of(all, Decision.Publish.class);
        return publications.get(publications.size() - 1).records();
    }

    Scenario elected() {
        return on(new Event.Elected()).on(new Event.WriterOpened()).on(new Event.CaughtUp());
    }

    /** Leads a domain with two admitted tasks. */
    static Scenario leading() {
        return new Scenario()
                .elected()
                .read(new TaskRegistered(TASK_0, "s"))
                .stands()
                .read(new TaskRegistered(TASK_1, "s"))
                .stands();
    }

    /** Checkpoint 1 stands on the topic; its markers are being written. */
    static Scenario started() {
        return leading()
                .after(10_000)
                .on(new Event.SourcesDescribed(Map.of("orders", 2)))
                .stands();
    }

    /** Checkpoint 1 waits for its tasks. */
    static Scenario waiting() {
        return started().on(new Event.MarkersWritten(1, MARKERS)).stands();
    }

    /** All tasks have acknowledged checkpoint 1. */
    static Scenario verifying() {
        return waiting().read(acknowledged(1, TASK_0), acknowledged(1, TASK_1));
    }

    long startedAt(long id) {
        return Objects.requireNonNull(leader.state().open().get(id)).startedAtMillis();
    }

    Scenario ruled(Outcome outcome, @Nullable String reason) {
        return on(new Event.Ruled(1, outcome, reason, startedAt(1), CHECKPOINT_REF));
    }

    static Acknowledged acknowledged(long checkpoint, TaskId task) {
        return new Acknowledged(
                checkpoint,
                1,
                "s",
                List.of(new TaskCut(task, 5, new ManifestRef("m/" + task + "/" + checkpoint, "cd"))));
    }

    static CheckpointStarted start(long id, long startedAtMillis) {
        return new CheckpointStarted(id, 1, startedAtMillis, Set.of(ORDERS_0, ORDERS_1), Set.of(TASK_0, TASK_1));
    }

    static <T> List<T> of(List<? super T> decisions, Class<T> type) {
        return decisions.stream().filter(type::isInstance).map(type::cast).toList();
    }

    <T> List<T> last(Class<T> type) {
        return last.stream().filter(type::isInstance).map(type::cast).toList();
    }

    <T extends Notice> List<T> told(Class<T> type) {
        return last(Decision.Tell.class).stream()
                .map(Decision.Tell::notice)
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }
}
