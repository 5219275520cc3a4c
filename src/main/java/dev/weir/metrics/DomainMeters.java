package dev.weir.metrics;

import dev.weir.metrics.CatalogueEntry.Tag;
import dev.weir.metrics.WeirMeters.Registration;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** The meters of a domain's checkpoints. */
public final class DomainMeters {

    private final WeirMeters meters;
    private final Tags tags;
    private final Timer duration;
    private final Counter completed;
    private final Counter abandoned;

    DomainMeters(WeirMeters meters, String domain) {
        this.meters = meters;
        this.tags = Tags.of(Tag.DOMAIN, domain);
        this.duration = meters.timer(CatalogueEntry.CHECKPOINT, tags);
        this.completed = meters.counter(CatalogueEntry.CHECKPOINTS_COMPLETED, tags);
        this.abandoned = meters.counter(CatalogueEntry.CHECKPOINTS_ABANDONED, tags);
    }

    /** This process completed a checkpoint. */
    public void completed(Duration sinceStart) {
        completed.increment();
        duration.record(sinceStart);
    }

    /** This process abandoned a checkpoint. */
    public void abandoned() {
        abandoned.increment();
    }

    /** Shows the age of the last complete checkpoint; a negative one means that there is none. The supplier must be safe from any thread. */
    public Registration checkpointAge(LongSupplier ageMillis) {
        return meters.gauge(CatalogueEntry.CHECKPOINT_AGE, tags, () -> {
            long age = ageMillis.getAsLong();
            return age < 0 ? Double.NaN : age / 1000.0;
        });
    }

    /** Shows whether this process leads. The supplier must be safe from any thread. */
    public Registration leader(BooleanSupplier leads) {
        return meters.gauge(CatalogueEntry.LEADER, tags, () -> leads.getAsBoolean() ? 1 : 0);
    }
}
