package dev.weir.benchmark.worker;

import dev.weir.api.Message;
import dev.weir.api.Processor;
import dev.weir.api.ProcessorContext;
import dev.weir.api.StreamProcessor;
import dev.weir.api.ValueState;
import dev.weir.benchmark.workload.Settings;
import dev.weir.benchmark.workload.Signals;
import dev.weir.benchmark.workload.Signals.Signal;
import dev.weir.benchmark.workload.Workload;
import dev.weir.status.StatusSource;
import dev.weir.status.TaskStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * The work on Weir: a Spring Boot service with one processor, and the domain's coordinator in the same process. Settings: visible (ms),
 * threads, statebytes; any other one that begins with {@code weir.}, {@code spring.} or {@code logging.} is the application's.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class WeirWorker {

    private static final String STATE_BYTES = "benchmark.state-bytes";

    /** Takes settings. */
    public static void main(String[] arguments) {
        var settings = Settings.of(arguments);
        String visible = settings.number("visible", 1000) + "ms";
        Map<String, Object> properties = new HashMap<>();
        properties.put("spring.application.name", settings.get("run"));
        properties.put("spring.main.web-application-type", "none");
        properties.put("spring.main.banner-mode", "off");
        properties.put("spring.kafka.bootstrap-servers", settings.get("bootstrap"));
        properties.put("logging.level.root", "WARN");
        properties.put("logging.level.dev.weir", "INFO");
        properties.put("weir.instance-id", "worker");
        properties.put("weir.concurrency", settings.get("threads", "1"));
        properties.put("weir.store.type", "file");
        properties.put("weir.store.path", settings.get("store"));
        properties.put("weir.state.directory", settings.get("state"));
        properties.put("weir.checkpoint.interval", visible);
        properties.put("weir.commit.interval", visible);
        properties.put(STATE_BYTES, settings.number("statebytes", Workload.MIN_STATE_BYTES));
        for (var prefix : List.of("weir.", "spring.", "logging.")) {
            settings.below(prefix).forEach((name, value) -> properties.put(prefix + name, value));
        }
        var application = new SpringApplication(WeirWorker.class);
        application.setDefaultProperties(properties);
        application.run();
    }

    @Bean
    Total total(Environment environment) {
        return new Total(environment.getRequiredProperty(STATE_BYTES, Integer.class));
    }

    @Bean
    Phases phases(StatusSource status) {
        return new Phases(status);
    }

    /** The running total of each key. */
    @StreamProcessor(name = "total", inputs = Workload.INPUT_WITH_MARKERS, outputs = Workload.OUTPUT)
    static final class Total implements Processor<byte[], byte[]> {

        static final ValueState<byte[]> TOTALS = ValueState.of("totals", byte[].class);

        private final int stateBytes;

        Total(int stateBytes) {
            this.stateBytes = stateBytes;
        }

        @Override
        public void process(Message<byte[], byte[]> message, ProcessorContext context) {
            Signals.record();
            var state = context.state(TOTALS);
            byte[] total = Workload.update(state.get(), Workload.amount(message.value()), stateBytes);
            state.set(total);
            context.emit(Workload.OUTPUT, message.key(), total);
        }
    }

    /** Tells when tasks are assigned, and when all of them run; it watches before the processor starts. */
    static final class Phases implements SmartInitializingSingleton {

        private static final int EVERY_MILLIS = 10;

        private final StatusSource status;

        Phases(StatusSource status) {
            this.status = status;
        }

        @Override
        public void afterSingletonsInstantiated() {
            var thread = new Thread(this::follow, "phases");
            thread.setDaemon(true);
            thread.start();
        }

        private void follow() {
            try {
                List<TaskStatus> tasks = tasks();
                for (; tasks.isEmpty(); tasks = tasks()) {
                    Thread.sleep(EVERY_MILLIS);
                }
                Signals.tell(Signal.ASSIGNED);
                boolean restoring = false;
                while (!tasks.stream().allMatch(task -> task.phase() == TaskStatus.Phase.RUNNING)) {
                    if (!restoring && tasks.stream().anyMatch(task -> task.phase() == TaskStatus.Phase.RESTORING)) {
                        restoring = true;
                        Signals.tell(Signal.RESTORING);
                    }
                    Thread.sleep(EVERY_MILLIS);
                    tasks = tasks();
                }
                Signals.tell(Signal.RESTORED);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private List<TaskStatus> tasks() {
            return status.threads().stream()
                    .flatMap(thread -> thread.tasks().stream())
                    .toList();
        }
    }
}
