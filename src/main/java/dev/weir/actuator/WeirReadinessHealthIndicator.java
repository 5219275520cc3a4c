package dev.weir.actuator;

import dev.weir.status.CheckpointStatus;
import dev.weir.status.StatusSource;
import dev.weir.status.TaskStatus;
import dev.weir.status.ThreadStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Readiness: up while every thread runs and no task is being restored, out of service while they are not there yet, down when a thread or
 * this process's part in the coordination has failed. Its details are the tasks and the newest complete checkpoint.
 */
public final class WeirReadinessHealthIndicator extends AbstractHealthIndicator {

    private final StatusSource status;
    private final LongSupplier wallMillis;

    /** Of this status, with the wall clock's milliseconds since the Unix epoch. */
    public WeirReadinessHealthIndicator(StatusSource status, LongSupplier wallMillis) {
        this.status = status;
        this.wallMillis = wallMillis;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        List<ThreadStatus> threads = status.threads();
        var state = ProcessingState.of(status);
        switch (state) {
            case READY -> health.up();
            case FAILED -> health.down();
            case STOPPED, STARTING, RESTORING, WAITING_FOR_STORE -> health.outOfService();
        }
        health.withDetail("state", state).withDetail("leader", status.isLeader());
        var coordination = status.coordinationFailure();
        if (coordination != null) {
            health.withDetail("coordination", coordination);
        }
        List<Map<String, Object>> shown = new ArrayList<>();
        threads.forEach(thread -> shown.add(details(thread)));
        health.withDetail("threads", shown);
        CheckpointStatus last = status.lastCompleted();
        if (last != null) {
            long age = Math.max(0, wallMillis.getAsLong() - last.startedAtMillis() - last.durationMillis());
            health.withDetail("lastCheckpoint", Map.of("id", last.id(), "ageSeconds", age / 1000));
        }
    }

    private static Map<String, Object> details(ThreadStatus thread) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("slot", thread.slot());
        details.put("processor", thread.processor());
        details.put("phase", thread.phase());
        if (thread.failure() != null) {
            details.put("failure", thread.failure());
        }
        List<Map<String, Object>> tasks = new ArrayList<>();
        thread.tasks().forEach(task -> tasks.add(details(task)));
        details.put("tasks", tasks);
        return details;
    }

    private static Map<String, Object> details(TaskStatus task) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("task", task.processor() + "/" + task.partition());
        details.put("phase", task.phase());
        if (task.lag() >= 0) {
            details.put("lag", task.lag());
        }
        if (task.phase() == TaskStatus.Phase.RESTORING && task.totalBytes() >= 0) {
            details.put("restoredBytes", task.restoredBytes());
            details.put("totalBytes", task.totalBytes());
        }
        if (task.detail() != null) {
            details.put("detail", task.detail());
        }
        return details;
    }
}
