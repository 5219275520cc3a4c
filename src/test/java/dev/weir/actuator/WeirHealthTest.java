package dev.weir.actuator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.status.CheckpointStatus;
import dev.weir.status.StatusSource;
import dev.weir.status.TaskStatus;
import dev.weir.status.ThreadStatus;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

class WeirHealthTest {

    private record Snapshot(
            List<ThreadStatus> threads,
            @Nullable CheckpointStatus lastCompleted,
            @Nullable String coordinationFailure) implements StatusSource {

        @Override
        public List<CheckpointStatus> checkpoints() {
            return List.of();
        }

        @Override
        public boolean isLeader() {
            return true;
        }
    }

    private static ThreadStatus thread(ThreadStatus.Phase phase, @Nullable String failure, TaskStatus.Phase... tasks) {
        var list = Arrays.stream(tasks)
                .map(task -> new TaskStatus("p", 3, task, 1, 1, 17, 100, 200, null))
                .toList();
        return new ThreadStatus("d.p.i.0", "p", phase, failure, list, 0, 0, 0, 0);
    }

    private static ThreadStatus running(TaskStatus.Phase... tasks) {
        return thread(ThreadStatus.Phase.RUNNING, null, tasks);
    }

    private static Health readiness(ThreadStatus... threads) {
        return new WeirReadinessHealthIndicator(new Snapshot(List.of(threads), null, null), () -> 0).health();
    }

    private static Status liveness(ThreadStatus... threads) {
        return new WeirLivenessHealthIndicator(new Snapshot(List.of(threads), null, null))
                .health()
                .getStatus();
    }

    @Test
    void aCoordinationThatHasFailedIsToBeLookedAtButNoReasonToRestart() {
        var status = new Snapshot(List.of(running(TaskStatus.Phase.RUNNING)), null, "Cannot write");
        var health = new WeirReadinessHealthIndicator(status, () -> 0).health();
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails()).containsEntry("coordination", "Cannot write");
        assertThat(new WeirLivenessHealthIndicator(status).health().getStatus()).isEqualTo(Status.UP);
    }

    @Test
    void restoringIsLiveButNotReady() {
        var restoring = running(TaskStatus.Phase.RUNNING, TaskStatus.Phase.RESTORING);
        assertThat(liveness(restoring)).isEqualTo(Status.UP);
        var health = readiness(restoring);
        assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(health.getDetails()).containsEntry("state", ProcessingState.RESTORING);
        assertThat(health.getDetails().get("threads"))
                .asString()
                .contains("task=p/3", "restoredBytes=100", "totalBytes=200", "lag=17");
    }

    @Test
    void readyWhenAllTasksRunOrThereAreNone() {
        assertThat(readiness(running(TaskStatus.Phase.RUNNING)).getStatus()).isEqualTo(Status.UP);
        assertThat(readiness(running()).getStatus()).isEqualTo(Status.UP);
        assertThat(readiness(running(TaskStatus.Phase.STARTING)).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(readiness(thread(ThreadStatus.Phase.STARTING, null)).getStatus())
                .isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(readiness(thread(ThreadStatus.Phase.WAITING_FOR_STORE, null)).getStatus())
                .isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(readiness().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
    }

    @Test
    void aFailedThreadIsNotReadyAndSaysWhy() {
        var failed = thread(ThreadStatus.Phase.FAILED, "Cannot go on: because");
        var health = readiness(running(TaskStatus.Phase.RUNNING), failed);
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails().get("threads")).asString().contains("failure=Cannot go on: because");
    }

    @Test
    void onlyAProcessWithoutALivingThreadIsToBeRestarted() {
        var failed = thread(ThreadStatus.Phase.FAILED, "x");
        assertThat(liveness(failed, running())).isEqualTo(Status.UP);
        assertThat(liveness(failed, failed)).isEqualTo(Status.DOWN);
        assertThat(liveness()).isEqualTo(Status.UP);
        assertThat(liveness(thread(ThreadStatus.Phase.WAITING_FOR_STORE, null))).isEqualTo(Status.UP);
    }

    @Test
    void showsTheAgeOfTheLastCheckpoint() {
        var last = new CheckpointStatus(12, CheckpointStatus.Outcome.COMPLETED, 1_000, 500, 1, 1, null);
        var health = new WeirReadinessHealthIndicator(new Snapshot(List.of(), last, null), () -> 9_500).health();
        assertThat(health.getDetails()).containsEntry("lastCheckpoint", Map.of("id", 12L, "ageSeconds", 8L));
    }
}
