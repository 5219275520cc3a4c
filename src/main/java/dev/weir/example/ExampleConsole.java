package dev.weir.example;

import dev.weir.status.CheckpointStatus;
import dev.weir.status.StatusSource;
import dev.weir.status.TaskStatus;
import dev.weir.status.ThreadStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Shows on the console every two seconds how the work goes, and what comes out of it: committed totals only. */
@Component
@ConditionalOnBooleanProperty("example.console")
class ExampleConsole implements DisposableBean {

    private static final int EVERY_SECONDS = 2;
    private static final int SHOWN_AIRPORTS = 5;

    private final StatusSource status;
    private final JsonMapper mapper;
    private final Map<String, String> airports;
    private final Map<String, Totals> totals = new ConcurrentHashMap<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        var thread = new Thread(task, "console");
        thread.setDaemon(true);
        return thread;
    });
    private final boolean coloured = isTerminal();
    private long lastProcessed;
    private long lastNanos = System.nanoTime();

    ExampleConsole(StatusSource status, JsonMapper mapper) throws IOException {
        this.status = status;
        this.mapper = mapper;
        this.airports = airports();
    }

    @EventListener(ApplicationReadyEvent.class)
    void begin() {
        var unused = timer.scheduleAtFixedRate(this::show, EVERY_SECONDS, EVERY_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void destroy() {
        timer.shutdownNow();
    }

    @KafkaListener(
            topics = "airport-totals",
            groupId = "weir-example-console-#{T(java.util.UUID).randomUUID()}",
            properties = {"isolation.level=read_committed", "auto.offset.reset=earliest"})
    void totals(@Payload String json, @Header(KafkaHeaders.RECEIVED_KEY) String airport) {
        totals.put(airport, mapper.readValue(json, Totals.class));
    }

    private void show() {
        System.out.print(block());
        System.out.flush();
    }

    String block() {
        List<ThreadStatus> threads = status.threads();
        List<TaskStatus> tasks =
                threads.stream().flatMap(thread -> thread.tasks().stream()).toList();
        long processed = threads.stream().mapToLong(ThreadStatus::recordsTotal).sum();
        long now = System.nanoTime();
        double perSecond = (processed - lastProcessed) * 1e9 / Math.max(1, now - lastNanos);
        lastProcessed = processed;
        lastNanos = now;
        long running = count(tasks, TaskStatus.Phase.RUNNING);
        long restoring = count(tasks, TaskStatus.Phase.RESTORING);
        long lag = tasks.stream().mapToLong(task -> Math.max(0, task.lag())).sum();

        var lines = new ArrayList<String>();
        lines.add(bold(String.format(
                Locale.ROOT,
                "%,8.0f flights/s   %,d in all   lag %,d   tasks %d/%d running%s",
                perSecond,
                processed,
                lag,
                running,
                tasks.size(),
                restoring == 0 ? "" : ", " + restoring + " restoring")));
        threads.stream()
                .filter(thread -> thread.failure() != null)
                .forEach(thread -> lines.add("  " + thread.slot() + " has stopped: " + thread.failure()));
        lines.add("  " + checkpoint(status.lastCompleted()));
        totals.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<String, Totals> entry) ->
                                entry.getValue().departures())
                        .reversed())
                .limit(SHOWN_AIRPORTS)
                .forEach(entry -> lines.add(airport(entry.getKey(), entry.getValue())));
        return String.join(System.lineSeparator(), lines) + System.lineSeparator();
    }

    private static long count(List<TaskStatus> tasks, TaskStatus.Phase phase) {
        return tasks.stream().filter(task -> task.phase() == phase).count();
    }

    private static String checkpoint(@Nullable CheckpointStatus last) {
        if (last == null) {
            return "no complete checkpoint yet";
        }
        if (last.startedAtMillis() < 0) {
            return "checkpoint " + last.id() + " is complete";
        }
        long age = System.currentTimeMillis() - last.startedAtMillis() - Math.max(0, last.durationMillis());
        return String.format(
                Locale.ROOT,
                "checkpoint %d is complete, %.1f s ago, took %d ms",
                last.id(),
                Math.max(0, age) / 1000.0,
                last.durationMillis());
    }

    private String airport(String code, Totals of) {
        return String.format(
                Locale.ROOT,
                "  %s %-34.34s %,8d departures  %3d%% late  mean delay %5.1f min",
                code,
                airports.getOrDefault(code, ""),
                of.departures(),
                100 * of.delayedOver15() / of.departures(),
                (double) of.totalDelayMinutes() / of.departures());
    }

    private String bold(String text) {
        return coloured ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    private static boolean isTerminal() {
        String terminal = System.getenv("TERM");
        return System.console() != null && terminal != null && !terminal.equals("dumb");
    }

    private static Map<String, String> airports() throws IOException {
        Map<String, String> names = new HashMap<>();
        try (var lines = new BufferedReader(
                new InputStreamReader(FlightFile.resource("/example/airports.csv"), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                // Code, name, city, state; only the name may hold commas of its own.
                int state = line.lastIndexOf(',');
                int city = line.lastIndexOf(',', state - 1);
                names.put(
                        line.substring(0, line.indexOf(',')),
                        line.substring(city + 1, state) + ", " + line.substring(state + 1));
            }
        }
        return names;
    }
}
