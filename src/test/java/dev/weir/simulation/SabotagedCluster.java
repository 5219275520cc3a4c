package dev.weir.simulation;

import dev.weir.fixture.ForwardingCluster;
import dev.weir.kafka.KafkaCluster;
import dev.weir.kafka.PartitionListener;
import dev.weir.kafka.Source;
import dev.weir.kafka.TransactionalSink;

/** A cluster whose sources or sinks make one kind of mistake. */
final class SabotagedCluster extends ForwardingCluster {

    private final Sabotage sabotage;
    private final SabotagedSink.Postponed postponed = new SabotagedSink.Postponed();

    SabotagedCluster(KafkaCluster real, Sabotage sabotage) {
        super(real);
        this.sabotage = sabotage;
    }

    @Override
    public Source openSource(SourceSettings settings, PartitionListener listener) {
        return switch (sabotage) {
            case LATE_REVOKE, CUT_AFTER_FIRST_MARKER -> SabotagedSource.open(real, settings, listener, sabotage);
            default -> real.openSource(settings, listener);
        };
    }

    @Override
    public TransactionalSink openSink(String transactionalId) {
        return new SabotagedSink(real.openSink(transactionalId), sabotage, postponed);
    }
}
