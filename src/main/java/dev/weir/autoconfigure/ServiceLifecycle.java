package dev.weir.autoconfigure;

import dev.weir.status.CheckpointStatus;
import dev.weir.status.StatusSource;
import dev.weir.status.ThreadStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Starts the processors after the web server, so that a restoring process can be asked, and stops them before it. */
final class ServiceLifecycle implements SmartLifecycle, StatusSource {

    private static final Logger log = LoggerFactory.getLogger(ServiceLifecycle.class);

    private final ServicePlan plan;
    private final ServiceRuntime.Starter starter;
    private volatile @Nullable ServiceRuntime runtime;

    ServiceLifecycle(ServicePlan plan, ServiceRuntime.Starter starter) {
        this.plan = plan;
        this.starter = starter;
    }

    @Override
    public synchronized void start() {
        if (runtime != null) {
            return;
        }
        if (plan.isEmpty()) {
            log.atInfo().log("No processors to start: no bean is annotated with @StreamProcessor");
            return;
        }
        runtime = starter.start(plan);
        log.atInfo()
                .addKeyValue("domain", plan.domain())
                .addKeyValue("processors", plan.processors().size())
                .log("Processors are starting");
    }

    @Override
    public synchronized void stop() {
        ServiceRuntime running = runtime;
        if (running != null) {
            running.close();
            runtime = null;
            log.atInfo().addKeyValue("domain", plan.domain()).log("Processors are stopped");
        }
    }

    @Override
    public boolean isRunning() {
        return runtime != null;
    }

    @Override
    public int getPhase() {
        return DEFAULT_PHASE - 512;
    }

    @Override
    public List<ThreadStatus> threads() {
        ServiceRuntime running = runtime;
        return running == null ? List.of() : running.status().threads();
    }

    @Override
    public List<CheckpointStatus> checkpoints() {
        ServiceRuntime running = runtime;
        return running == null ? List.of() : running.status().checkpoints();
    }

    @Override
    public boolean isLeader() {
        ServiceRuntime running = runtime;
        return running != null && running.status().isLeader();
    }

    @Override
    public @Nullable String coordinationFailure() {
        ServiceRuntime running = runtime;
        return running == null ? null : running.status().coordinationFailure();
    }

    @Override
    public @Nullable CheckpointStatus lastCompleted() {
        ServiceRuntime running = runtime;
        return running == null ? null : running.status().lastCompleted();
    }
}
