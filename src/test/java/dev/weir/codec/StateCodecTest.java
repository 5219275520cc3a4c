package dev.weir.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.api.MapState;
import dev.weir.api.StateType;
import dev.weir.api.ValueState;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.Serializer;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class StateCodecTest {

    record Totals(long count, int max) {}

    private final StateCodec codecs = new StateCodec(JsonMapper.builder().build());

    @Test
    void equalTypesShareOneCodecAndValuesSurvive() {
        Codec<Totals> totals = codecs.of(ValueState.of("a", Totals.class).type());
        assertThat(codecs.of(ValueState.of("b", Totals.class).type())).isSameAs(totals);
        assertThat(totals.decode(totals.encode(new Totals(1L << 40, -3)))).isEqualTo(new Totals(1L << 40, -3));

        Codec<String> text = codecs.of(new StateType.Json<>(String.class));
        assertThat(text.encode("ä")).isEqualTo("ä".getBytes(StandardCharsets.UTF_8));
        assertThat(text.decode(new byte[0])).isEmpty();

        Codec<Long> serde = codecs.of(new StateType.WithSerde<>(Serdes.Long()));
        assertThat(serde.encode(5L)).hasSize(8);
        assertThat(serde.decode(serde.encode(5L))).isEqualTo(5L);
    }

    @Test
    void rawBytesAreCopiedWhenTheyAreSet() {
        Codec<byte[]> raw = codecs.of(new StateType.Json<>(byte[].class));
        byte[] mine = {1, 2};
        byte[] stored = raw.encode(mine);
        mine[0] = 9;
        assertThat(stored).isEqualTo(new byte[] {1, 2});
    }

    @Test
    void bytesOfAnotherTypeAreRefused() {
        Codec<Totals> totals = codecs.of(new StateType.Json<>(Totals.class));
        for (String bad : new String[] {"", "null", "[1]", "{\"count\":\"x\"}"}) {
            assertThatThrownBy(() -> totals.decode(bad.getBytes(StandardCharsets.UTF_8)))
                    .as(bad)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(
                            "Cannot decode " + bad.length() + " stored bytes as json " + Totals.class.getName());
        }
    }

    @Test
    void describesKindAndTypes() {
        assertThat(codecs.describe(ValueState.of("a", Totals.class)))
                .isEqualTo("value<json " + Totals.class.getName() + ">");
        assertThat(codecs.describe(MapState.of("a", String.class, byte[].class)))
                .isEqualTo("map<text, bytes>");
        assertThat(codecs.describe(ValueState.of("a", Serdes.Long())))
                .isEqualTo("value<serde org.apache.kafka.common.serialization.Serdes$LongSerde>");
        Serializer<String> toBytes = (topic, text) -> text.getBytes(StandardCharsets.UTF_8);
        Deserializer<String> toText = (topic, bytes) -> new String(bytes, StandardCharsets.UTF_8);
        assertThat(codecs.describe(ValueState.of("a", Serdes.serdeFrom(toBytes, toText))))
                .isEqualTo("value<serde " + StateCodecTest.class.getName() + ">");
    }
}
