package dev.weir.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.api.Emission;
import dev.weir.api.Headers;
import dev.weir.api.MapAccess;
import dev.weir.api.MapState;
import dev.weir.api.Message;
import dev.weir.api.ProcessorContext;
import dev.weir.api.ValueAccess;
import dev.weir.api.ValueState;
import java.io.BufferedReader;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class AirportDelaysTest {

    /** The state and the last emission of each key. */
    private static final class Memory implements ProcessorContext {

        private final Map<String, Object> state = new HashMap<>();
        private final Map<String, Totals> emitted = new TreeMap<>();
        private String key = "";

        @Override
        public String processor() {
            return "airport-delays";
        }

        @Override
        public int task() {
            return 0;
        }

        @Override
        public <T> ValueAccess<T> state(ValueState<T> descriptor) {
            String name = descriptor.name() + "/" + key;
            return new ValueAccess<>() {
                @Override
                @SuppressWarnings("unchecked") // the processor has one state, of one type
                public @Nullable T get() {
                    return (T) state.get(name);
                }

                @Override
                public void set(T value) {
                    state.put(name, value);
                }

                @Override
                public void clear() {
                    state.remove(name);
                }
            };
        }

        @Override
        public <K, V> MapAccess<K, V> state(MapState<K, V> descriptor) {
            throw new UnsupportedOperationException("the processor has no maps");
        }

        @Override
        public void emit(Emission emission) {
            assertThat(emission.topic()).isEqualTo("airport-totals");
            emitted.put(String.valueOf(emission.key()), (Totals) emission.value());
        }
    }

    private record FlightMessage(String key, Flight value) implements Message<String, Flight> {

        @Override
        public String topic() {
            return "flights";
        }

        @Override
        public int partition() {
            return 0;
        }

        @Override
        public long offset() {
            return 0;
        }

        @Override
        public long timestamp() {
            return 0;
        }

        @Override
        public boolean isTombstone() {
            return false;
        }

        @Override
        public Headers headers() {
            return Headers.none();
        }
    }

    @Test
    void theTotalsOfAllFlightsAreTheRightAnswers() throws Exception {
        var mapper = JsonMapper.builder().build();
        var processor = new AirportDelays();
        var context = new Memory();
        int flights = 0;
        try (BufferedReader lines = FlightFile.open("")) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                var flight = mapper.readValue(line, Flight.class);
                context.key = flight.origin();
                processor.process(new FlightMessage(flight.origin(), flight), context);
                flights++;
            }
        }
        assertThat(flights).isEqualTo(20_000);
        assertThat(context.emitted).isEqualTo(RightAnswers.read());
    }
}
