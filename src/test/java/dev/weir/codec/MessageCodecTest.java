package dev.weir.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.codec.UndecodableException.Part;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class MessageCodecTest {

    record Point(int x, int y) {}

    record Pair<A>(A left, A right) {}

    interface Holder {
        Pair<Point> pair();
    }

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private static MessageCodec codec(Type key, Type value) {
        return new MessageCodec(MAPPER, key, value, Map.of());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void nullAndEmptyAreDistinctBothWays() {
        var text = codec(String.class, byte[].class);
        assertThat(text.decodeKey("t", null)).isNull();
        assertThat(text.decodeKey("t", new byte[0])).isEqualTo("");
        assertThat(text.decodeValue("t", new byte[0])).isEqualTo(new byte[0]);
        assertThat(text.encodeKey("t", null)).isNull();
        assertThat(text.encodeKey("t", "")).isEmpty();
        assertThat(text.encodeValue("t", new byte[0])).isEmpty();
    }

    @Test
    void textIsUtf8AndBytesStay() {
        var text = codec(String.class, byte[].class);
        assertThat(text.decodeKey("t", utf8("Zürich"))).isEqualTo("Zürich");
        assertThat(text.encodeKey("t", "Zürich")).isEqualTo(utf8("Zürich"));
        assertThat(text.decodeValue("t", new byte[] {0, -1})).isEqualTo(new byte[] {0, -1});
        assertThat(text.encodeValue("t", new byte[] {0, -1})).isEqualTo(new byte[] {0, -1});
    }

    @Test
    void everythingElseIsJson() throws Exception {
        var json = codec(Long.class, Point.class);
        assertThat(json.decodeKey("t", utf8("42"))).isEqualTo(42L);
        assertThat(json.decodeValue("t", utf8("{\"x\":1,\"y\":2}"))).isEqualTo(new Point(1, 2));
        assertThat(json.encodeValue("t", new Point(1, 2))).isEqualTo(utf8("{\"x\":1,\"y\":2}"));
        assertThat(json.decodeValue("t", utf8("null"))).isNull();
        var generic = codec(String.class, Holder.class.getDeclaredMethod("pair").getGenericReturnType());
        assertThat(generic.decodeValue("t", utf8("{\"left\":{\"x\":1,\"y\":2},\"right\":{\"x\":3,\"y\":4}}")))
                .isEqualTo(new Pair<>(new Point(1, 2), new Point(3, 4)));
    }

    @Test
    void equalMapsHaveEqualBytes() {
        var json = codec(String.class, Map.class);
        Map<String, Integer> one = new HashMap<>();
        Map<String, Integer> other = new HashMap<>(4096);
        for (String key : List.of("Aa", "BB", "q", "zz", "m")) {
            one.put(key, 1);
        }
        for (String key : List.of("m", "zz", "q", "BB", "Aa")) {
            other.put(key, 1);
        }
        assertThat(json.encodeKey("t", one)).isEqualTo(json.encodeKey("t", other));
    }

    @Test
    void saysWhichPartDoesNotDecodeButNotWhatItHolds() {
        var json = codec(Long.class, Point.class);
        var key = catchThrowableOfType(UndecodableException.class, () -> json.decodeKey("rides", utf8("secret")));
        assertThat(key.part()).isEqualTo(Part.KEY);
        assertThat(key.topic()).isEqualTo("rides");
        assertThat(key)
                .hasMessage("Cannot decode the key of a record of topic rides: it is no java.lang.Long")
                .hasCauseInstanceOf(RuntimeException.class);
        for (String bad : List.of("", "{", "{\"x\":1,\"y\":2} trailing", "[]")) {
            var value = catchThrowableOfType(UndecodableException.class, () -> json.decodeValue("rides", utf8(bad)));
            assertThat(value.part()).as(bad).isEqualTo(Part.VALUE);
        }
        var text = codec(String.class, String.class);
        assertThatThrownBy(() -> text.decodeKey("rides", new byte[] {(byte) 0xc3}))
                .isInstanceOf(UndecodableException.class);
    }

    @Test
    void aConfiguredSerdeOverrulesTheRule() {
        var codec = new MessageCodec(
                MAPPER, Long.class, Integer.class, Map.of("t", new TopicSerdes(Serdes.Long(), Serdes.Integer())));
        byte[] seven = {0, 0, 0, 0, 0, 0, 0, 7};
        assertThat(codec.decodeKey("t", seven)).isEqualTo(7L);
        assertThat(codec.encodeKey("t", 7L)).isEqualTo(seven);
        assertThat(codec.decodeValue("t", new byte[] {0, 0, 0, 9})).isEqualTo(9);
        assertThat(codec.encodeValue("t", 9)).isEqualTo(new byte[] {0, 0, 0, 9});
        assertThat(codec.decodeKey("other", utf8("7"))).isEqualTo(7L);
        assertThatThrownBy(() -> codec.decodeKey("t", utf8("7"))).isInstanceOf(UndecodableException.class);
    }

    @Test
    void whatCannotBeEncodedIsRefusedWithItsTopicAndClass() {
        var codec =
                new MessageCodec(MAPPER, String.class, String.class, Map.of("t", new TopicSerdes(Serdes.Long(), null)));
        assertThatThrownBy(() -> codec.encodeKey("t", "text"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Cannot emit to t: the key, a java.lang.String, cannot be encoded; ");
        var loop = new java.util.ArrayList<Object>();
        loop.add(loop);
        assertThatThrownBy(() -> codec.encodeValue("u", loop))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Cannot emit to u: the value, a java.util.ArrayList, cannot be encoded; ");
    }
}
