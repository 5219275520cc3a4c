package dev.weir.benchmark.worker;

import dev.weir.benchmark.workload.Settings;
import dev.weir.benchmark.workload.Signals;
import dev.weir.benchmark.workload.Signals.Signal;
import dev.weir.benchmark.workload.Workload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The work on Flink in one JVM: a Kafka source, a keyed function with RocksDB and incremental checkpoints to a folder, an exactly-once
 * Kafka sink. It goes on from the newest checkpoint in the folder, if there is one. Settings: visible (checkpoint interval, ms), threads
 * (parallelism), managed (MiB for RocksDB), statebytes; any below {@code flink.} is one of Flink, below {@code producer.} one of the
 * sink's producer.
 */
public final class FlinkWorker {

    private static final TypeInformation<Tuple2<String, byte[]>> RECORD = TypeInformation.of(new TypeHint<>() {});

    private FlinkWorker() {}

    /** Takes settings. */
    public static void main(String[] arguments) throws Exception {
        var settings = Settings.of(arguments);
        var configuration = configuration(settings);
        KafkaSource<Tuple2<String, byte[]>> source = KafkaSource.<Tuple2<String, byte[]>>builder()
                .setBootstrapServers(settings.get("bootstrap"))
                .setTopics(settings.get("in"))
                .setGroupId(settings.get("run"))
                .setStartingOffsets(OffsetsInitializer.committedOffsets(OffsetResetStrategy.EARLIEST))
                .setProperty("isolation.level", "read_committed")
                .setDeserializer(new Reader())
                .build();
        var producer = new Properties();
        producer.put("transaction.timeout.ms", "600000");
        producer.putAll(settings.below("producer."));
        KafkaSink<Tuple2<String, byte[]>> sink = KafkaSink.<Tuple2<String, byte[]>>builder()
                .setBootstrapServers(settings.get("bootstrap"))
                .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
                .setTransactionalIdPrefix(settings.get("run"))
                .setKafkaProducerConfig(producer)
                .setRecordSerializer(new Writer(settings.get("out")))
                .build();
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.createLocalEnvironment(settings.number("threads", 1), configuration);
        environment
                .fromSource(source, WatermarkStrategy.noWatermarks(), "in")
                .keyBy(record -> record.f0)
                .process(new Total(settings.number("statebytes", Workload.MIN_STATE_BYTES)))
                .returns(RECORD)
                .sinkTo(sink);
        // Flink has no partitions handed over by a group: what a new process does from here on is what follows an
        // assignment elsewhere.
        Signals.tell(Signal.ASSIGNED);
        environment.execute();
    }

    private static Configuration configuration(Settings settings) throws IOException {
        Path checkpoints = Path.of(settings.get("store")).toAbsolutePath();
        var configuration = new Configuration();
        configuration.setString("state.backend.type", "rocksdb");
        configuration.setString("state.backend.rocksdb.use-bloom-filter", "true");
        configuration.setString("execution.checkpointing.incremental", "true");
        configuration.setString("execution.checkpointing.interval", settings.number("visible", 1000) + " ms");
        configuration.setString("execution.checkpointing.storage", "filesystem");
        configuration.setString(
                "execution.checkpointing.dir", checkpoints.toUri().toString());
        configuration.setString("execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION");
        configuration.setString("pipeline.object-reuse", "true");
        configuration.setString("io.tmp.dirs", settings.get("state"));
        configuration.setString("taskmanager.memory.managed.size", settings.number("managed", 1024) + " mb");
        settings.below("flink.").forEach(configuration::setString);
        newest(checkpoints).ifPresent(path -> {
            configuration.setString(
                    "execution.state-recovery.path", path.toUri().toString());
            Signals.tell(Signal.RESTORING);
        });
        return configuration;
    }

    /** The newest complete checkpoint of any earlier job in the folder. */
    private static Optional<Path> newest(Path checkpoints) throws IOException {
        if (!Files.isDirectory(checkpoints)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.walk(checkpoints, 3)) {
            return files.filter(file -> file.endsWith("_metadata"))
                    .max(Comparator.comparingLong(file -> file.toFile().lastModified()))
                    .map(Path::getParent);
        }
    }

    private static final class Total
            extends KeyedProcessFunction<String, Tuple2<String, byte[]>, Tuple2<String, byte[]>> {

        private static final long serialVersionUID = 1;

        private final int stateBytes;

        @SuppressWarnings("NullAway.Init") // Set by open, before anything else is called.
        private transient ValueState<byte[]> state;

        Total(int stateBytes) {
            this.stateBytes = stateBytes;
        }

        @Override
        public void open(OpenContext context) {
            state = getRuntimeContext()
                    .getState(new ValueStateDescriptor<>(
                            "totals", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
            Signals.tell(Signal.RESTORED);
        }

        @Override
        public void processElement(
                Tuple2<String, byte[]> record, Context context, Collector<Tuple2<String, byte[]>> out)
                throws IOException {
            Signals.record();
            byte[] after = Workload.update(state.value(), Workload.amount(record.f1), stateBytes);
            state.update(after);
            record.f1 = after;
            out.collect(record);
        }
    }

    private static final class Reader implements KafkaRecordDeserializationSchema<Tuple2<String, byte[]>> {

        private static final long serialVersionUID = 1;

        @Override
        public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Tuple2<String, byte[]>> out) {
            out.collect(Tuple2.of(new String(record.key(), StandardCharsets.ISO_8859_1), record.value()));
        }

        @Override
        public TypeInformation<Tuple2<String, byte[]>> getProducedType() {
            return RECORD;
        }
    }

    private record Writer(String topic) implements KafkaRecordSerializationSchema<Tuple2<String, byte[]>> {

        @Override
        public ProducerRecord<byte[], byte[]> serialize(
                Tuple2<String, byte[]> record, KafkaSinkContext context, @Nullable Long timestamp) {
            byte[] key = record.f0.getBytes(StandardCharsets.ISO_8859_1);
            return new ProducerRecord<>(topic, null, timestamp, key, record.f1);
        }
    }
}
