package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class WeirMetersTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final WeirMeters meters = new WeirMeters(registry);

    /** What a meter looks like from outside. */
    private record Shape(String name, Meter.Type type, Set<String> tags) {}

    @Test
    void whatIsRegisteredIsExactlyTheCatalogue() {
        var processor = meters.processor("p");
        processor.lag(3, () -> 1);
        processor.openEpochs("p.0", () -> 1);
        processor.overlayBytes("p.0", () -> 1);
        var domain = meters.domain("d");
        domain.checkpointAge(() -> 1);
        domain.leader(() -> true);

        Set<Shape> registered = registry.getMeters().stream()
                .map(meter -> new Shape(
                        meter.getId().getName(),
                        meter.getId().getType(),
                        meter.getId().getTags().stream().map(Tag::getKey).collect(Collectors.toSet())))
                .collect(Collectors.toSet());
        Set<Shape> catalogue = Arrays.stream(CatalogueEntry.values())
                .map(entry -> new Shape(entry.meter(), type(entry.kind()), new HashSet<>(entry.tags())))
                .collect(Collectors.toSet());
        assertThat(registered).isEqualTo(catalogue);
        assertThat(registry.getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().getDescription()).isNotBlank());
    }

    private static Meter.Type type(CatalogueEntry.Kind kind) {
        return switch (kind) {
            case COUNTER -> Meter.Type.COUNTER;
            case TIMER -> Meter.Type.TIMER;
            case GAUGE -> Meter.Type.GAUGE;
            case SUMMARY -> Meter.Type.DISTRIBUTION_SUMMARY;
        };
    }

    @Test
    void eachMethodRecordsItsOwnMeter() {
        var processor = meters.processor("p");
        processor.processed(2);
        processor.failed(4);
        processor.epochEnded(Duration.ofSeconds(5));
        processor.committed(Duration.ofSeconds(6));
        processor.aligned(Duration.ofSeconds(7));
        processor.deltaStored(9, Duration.ofSeconds(10));
        processor.baseStored(11, Duration.ofSeconds(12));
        processor.restored(13, Duration.ofSeconds(14));
        processor.rolledBack();
        var domain = meters.domain("d");
        domain.completed(Duration.ofSeconds(15));
        domain.abandoned();
        domain.abandoned();

        assertThat(count(CatalogueEntry.RECORDS_PROCESSED)).isEqualTo(2);
        assertThat(count(CatalogueEntry.RECORDS_FAILED)).isEqualTo(4);
        assertThat(seconds(CatalogueEntry.EPOCH)).isEqualTo(5);
        assertThat(seconds(CatalogueEntry.COMMIT)).isEqualTo(6);
        assertThat(seconds(CatalogueEntry.COMMIT)).isEqualTo(6);
        assertThat(seconds(CatalogueEntry.ALIGNMENT)).isEqualTo(7);
        assertThat(bytes(CatalogueEntry.DELTA_SIZE)).isEqualTo(9);
        assertThat(seconds(CatalogueEntry.DELTA)).isEqualTo(10);
        assertThat(bytes(CatalogueEntry.BASE_SIZE)).isEqualTo(11);
        assertThat(seconds(CatalogueEntry.BASE)).isEqualTo(12);
        assertThat(bytes(CatalogueEntry.RESTORE_SIZE)).isEqualTo(13);
        assertThat(seconds(CatalogueEntry.RESTORE)).isEqualTo(14);
        assertThat(count(CatalogueEntry.ROLLBACKS)).isEqualTo(1);
        assertThat(seconds(CatalogueEntry.CHECKPOINT)).isEqualTo(15);
        assertThat(count(CatalogueEntry.CHECKPOINTS_COMPLETED)).isEqualTo(1);
        assertThat(count(CatalogueEntry.CHECKPOINTS_ABANDONED)).isEqualTo(2);
    }

    private double count(CatalogueEntry entry) {
        return registry.get(entry.meter()).counter().count();
    }

    private double seconds(CatalogueEntry entry) {
        return registry.get(entry.meter()).timer().totalTime(TimeUnit.SECONDS);
    }

    private double bytes(CatalogueEntry entry) {
        return registry.get(entry.meter()).summary().totalAmount();
    }

    @Test
    void aGaugeFollowsItsSupplierAndGoesWhenItIsClosed() {
        var lag = new AtomicLong(7);
        var registration = meters.processor("p").lag(0, lag::get);
        assertThat(registry.get("weir.task.lag").gauge().value()).isEqualTo(7);
        lag.set(8);
        assertThat(registry.get("weir.task.lag").gauge().value()).isEqualTo(8);
        registration.close();
        assertThat(registry.find("weir.task.lag").gauge()).isNull();
    }

    @Test
    void aTaskThatComesBackShowsItsNewLag() {
        meters.processor("p").lag(0, () -> 1);
        meters.processor("p").lag(0, () -> 2);
        assertThat(registry.get("weir.task.lag").gauge().value()).isEqualTo(2);
    }

    @Test
    void theAgeIsNotANumberBeforeTheFirstCheckpoint() {
        meters.domain("d").checkpointAge(() -> -1);
        assertThat(registry.get("weir.checkpoint.age").gauge().value()).isNaN();
    }

    @Test
    void aRegistryIsOptional() {
        WeirMeters.none().processor("p").processed(1);
    }
}
