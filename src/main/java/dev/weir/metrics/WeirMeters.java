package dev.weir.metrics;

import dev.weir.metrics.CatalogueEntry.Tag;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/** Records Weir's meters. Safe for use by several threads; the handles that it gives out are to be kept by who records often. */
public final class WeirMeters {

    private final MeterRegistry registry;
    private final ConcurrentMap<String, ProcessorMeters> processors = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, DomainMeters> domains = new ConcurrentHashMap<>();

    /** Meters of this registry. */
    public WeirMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Meters that go nowhere. */
    public static WeirMeters none() {
        return new WeirMeters(new CompositeMeterRegistry());
    }

    /** A processor's meters; the same ones for the same name. */
    public ProcessorMeters processor(String name) {
        return processors.computeIfAbsent(name, key -> new ProcessorMeters(this, key));
    }

    /** A domain's meters; the same ones for the same name. */
    public DomainMeters domain(String name) {
        return domains.computeIfAbsent(name, key -> new DomainMeters(this, key));
    }

    /** Takes a gauge out of the registry again. */
    @FunctionalInterface
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    Counter counter(CatalogueEntry entry, Tags tags) {
        return Counter.builder(entry.meter())
                .description(entry.meaning())
                .baseUnit(entry.unit())
                .tags(tags)
                .register(registry);
    }

    Timer timer(CatalogueEntry entry, Tags tags) {
        return Timer.builder(entry.meter())
                .description(entry.meaning())
                .tags(tags)
                .register(registry);
    }

    DistributionSummary summary(CatalogueEntry entry, Tags tags) {
        return DistributionSummary.builder(entry.meter())
                .description(entry.meaning())
                .baseUnit(entry.unit())
                .tags(tags)
                .register(registry);
    }

    /** A gauge of the same name and tags that is still there is replaced. */
    Registration gauge(CatalogueEntry entry, Tags tags, DoubleSupplier value) {
        var builder = Gauge.builder(entry.meter(), value, DoubleSupplier::getAsDouble)
                .description(entry.meaning())
                .strongReference(true)
                .tags(tags);
        if (!entry.unit().isEmpty()) {
            builder.baseUnit(entry.unit());
        }
        var existing = registry.find(entry.meter()).tags(tags).gauge();
        if (existing != null) {
            registry.remove(existing);
        }
        Gauge gauge = builder.register(registry);
        return () -> registry.remove(gauge);
    }

    static DoubleSupplier doubles(LongSupplier value) {
        return () -> (double) value.getAsLong();
    }

    static Tags processorTag(String processor) {
        return Tags.of(Tag.PROCESSOR, processor);
    }
}
