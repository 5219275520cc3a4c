package dev.weir.barrier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class MarkerCodecTest {

    private static final Marker MARKER = new Marker("orders", "kvjPWzFqQRG", 3, Long.MAX_VALUE);

    @Test
    void aMarkerComesBackAsItWas() {
        assertThat(MarkerCodec.decode(MarkerCodec.encode(MARKER))).isEqualTo(MARKER);
    }

    @Test
    void keyAndValueAreNotEmpty() {
        assertThat(MarkerCodec.key()).isNotEmpty();
        assertThat(MarkerCodec.value()).isNotEmpty();
    }

    @Test
    void anUnknownVersionIsAMarkerOfNobody() {
        var header = MarkerCodec.encode(MARKER);
        header[0]++;
        assertThat(MarkerCodec.decode(header)).isEqualTo(MarkerCodec.UNREADABLE);
        assertThat(MarkerCodec.UNREADABLE.domain()).isEmpty();
    }

    @Test
    void aDamagedHeaderIsAMarkerOfNobody() {
        var header = MarkerCodec.encode(MARKER);
        for (int length = 0; length < header.length; length++) {
            assertThat(MarkerCodec.decode(Arrays.copyOf(header, length)))
                    .as("first %s bytes", length)
                    .isEqualTo(MarkerCodec.UNREADABLE);
        }
        assertThat(MarkerCodec.decode(Arrays.copyOf(header, header.length + 1))).isEqualTo(MarkerCodec.UNREADABLE);
        assertThat(MarkerCodec.decode(null)).isEqualTo(MarkerCodec.UNREADABLE);
    }
}
