package dev.weir.example;

import java.io.BufferedReader;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.SmartLifecycle;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Sends the flights of a file to the topic {@code flights}, keyed by the airport of departure. Starts last, when the topics exist. */
@Component
@ConditionalOnBooleanProperty("example.flights.produce")
class FlightProducer implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(FlightProducer.class);

    private final KafkaTemplate<String, String> kafka;
    private final JsonMapper mapper;
    private final ExampleProperties.Flights settings;
    private volatile @Nullable Thread thread;

    FlightProducer(KafkaTemplate<String, String> kafka, JsonMapper mapper, ExampleProperties properties) {
        this.kafka = kafka;
        this.mapper = mapper;
        this.settings = properties.flights();
    }

    @Override
    public void start() {
        var sending = new Thread(this::send, "flights");
        sending.setDaemon(true);
        thread = sending;
        sending.start();
    }

    @Override
    public void stop() {
        Thread sending = thread;
        if (sending != null) {
            sending.interrupt();
            thread = null;
        }
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }

    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }

    private void send() {
        try {
            for (int round = 0; settings.repeat() == 0 || round < settings.repeat(); round++) {
                sendFile();
            }
            kafka.flush();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            if (thread != null) {
                log.atError().setCause(e).log("Flights cannot be sent any more");
            }
        }
    }

    private void sendFile() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        long sent = 0;
        try (BufferedReader lines = FlightFile.open(settings.file())) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String origin = mapper.readValue(line, Flight.class).origin();
                var unused = kafka.send("flights", origin, line).whenComplete((result, failure) -> {
                    if (failure != null) {
                        log.atWarn().addKeyValue("reason", failure.getMessage()).log("A flight was not sent");
                    }
                });
                sent++;
                pace(begun, sent);
            }
        }
    }

    private void pace(long begun, long sent) throws InterruptedException {
        if (settings.rate() > 0) {
            long ahead = sent * 1_000_000_000L / settings.rate() - (System.nanoTime() - begun);
            if (ahead > 1_000_000) {
                Thread.sleep(ahead / 1_000_000);
            }
        }
        if (Thread.interrupted()) {
            throw new InterruptedException("stopped");
        }
    }
}
