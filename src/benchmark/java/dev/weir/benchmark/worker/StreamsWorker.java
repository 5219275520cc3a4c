package dev.weir.benchmark.worker;

import dev.weir.benchmark.workload.Settings;
import dev.weir.benchmark.workload.Signals;
import dev.weir.benchmark.workload.Signals.Signal;
import dev.weir.benchmark.workload.Workload;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * The work on Kafka Streams: exactly_once_v2, a persistent store with a changelog. Settings: caching, visible (ms), threads, statebytes;
 * any below {@code streams.} is one of Streams.
 */
public final class StreamsWorker {

    private StreamsWorker() {}

    /** Takes settings. */
    public static void main(String[] arguments) {
        var settings = Settings.of(arguments);
        var streams = new KafkaStreams(topology(settings), configuration(settings), new AssignmentSignals());
        streams.setGlobalStateRestoreListener(new RestoreSignals());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(10)), "close"));
        streams.start();
    }

    private static Topology topology(Settings settings) {
        int stateBytes = settings.number("statebytes", Workload.MIN_STATE_BYTES);
        StoreBuilder<KeyValueStore<Bytes, byte[]>> store = Stores.keyValueStoreBuilder(
                Stores.persistentKeyValueStore("totals"), Serdes.Bytes(), Serdes.ByteArray());
        var topology = new Topology();
        topology.addSource(
                "in", Serdes.Bytes().deserializer(), Serdes.ByteArray().deserializer(), settings.get("in"));
        topology.addProcessor("total", () -> new Total(stateBytes), "in");
        topology.addStateStore(
                settings.is("caching") ? store.withCachingEnabled() : store.withCachingDisabled(), "total");
        topology.addSink(
                "out",
                settings.get("out"),
                Serdes.Bytes().serializer(),
                Serdes.ByteArray().serializer(),
                "total");
        return topology;
    }

    private static Properties configuration(Settings settings) {
        var configuration = new Properties();
        configuration.put(StreamsConfig.APPLICATION_ID_CONFIG, settings.get("run"));
        configuration.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, settings.get("bootstrap"));
        configuration.put(StreamsConfig.STATE_DIR_CONFIG, settings.get("state"));
        configuration.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        configuration.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, settings.number("visible", 1000));
        configuration.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, settings.number("threads", 1));
        configuration.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 1);
        configuration.put("auto.offset.reset", "earliest");
        configuration.put("group.instance.id", "worker");
        configuration.putAll(settings.below("streams."));
        return configuration;
    }

    private static final class Total implements Processor<Bytes, byte[], Bytes, byte[]> {

        private final int stateBytes;

        @SuppressWarnings("NullAway.Init") // Set by init, before anything else is called.
        private ProcessorContext<Bytes, byte[]> context;

        @SuppressWarnings("NullAway.Init") // As above.
        private KeyValueStore<Bytes, byte[]> store;

        Total(int stateBytes) {
            this.stateBytes = stateBytes;
        }

        @Override
        public void init(ProcessorContext<Bytes, byte[]> given) {
            context = given;
            store = given.getStateStore("totals");
        }

        @Override
        public void process(Record<Bytes, byte[]> record) {
            Signals.record();
            byte[] state = Workload.update(store.get(record.key()), Workload.amount(record.value()), stateBytes);
            store.put(record.key(), state);
            context.forward(record.withValue(state));
        }
    }

    private static final class RestoreSignals implements StateRestoreListener {

        @Override
        public void onRestoreStart(TopicPartition partition, String store, long from, long to) {
            if (to > from) {
                Signals.tell(Signal.RESTORING);
            }
        }

        @Override
        public void onBatchRestored(TopicPartition partition, String store, long end, long records) {}

        @Override
        public void onRestoreEnd(TopicPartition partition, String store, long records) {
            if (records > 0) {
                Signals.tell(Signal.RESTORED);
            }
        }
    }
}
