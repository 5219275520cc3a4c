package dev.weir.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.SeedSource;
import dev.weir.barrier.ManifestRef;
import dev.weir.failure.StoppedException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PointerTest {

    private static final String HASH = "9f".repeat(32);
    private static final StoreLayout LAYOUT = new StoreLayout("flights");

    private static Pointer pointer(long epoch, long incarnation, String slot, long slotEpoch) {
        var name = LAYOUT.manifest(slot, slotEpoch, "0123456789abcdef");
        return new Pointer(epoch, incarnation, slot, new ManifestRef(name, HASH));
    }

    @SeedSource(count = 100)
    void whatIsEncodedIsReadAgain(long seed) {
        var random = new SplittableRandom(seed);
        var pointer = pointer(
                random.nextLong() >>> (1 + random.nextInt(63)),
                1 + random.nextInt(50),
                "flights.delays.pod-" + random.nextInt(20) + ".0",
                random.nextLong() >>> 1);

        assertThat(Pointer.decode("flights", pointer.encode())).isEqualTo(pointer);
    }

    @Test
    void itIsShortAsciiWhateverTheNumbersAre() {
        var longest = pointer(Long.MAX_VALUE, Long.MAX_VALUE, "s".repeat(Pointer.MAX_SLOT_LENGTH), Long.MAX_VALUE);

        assertThat(longest.encode()).hasSizeLessThanOrEqualTo(200).isASCII();
        assertThat(Pointer.decode("flights", longest.encode())).isEqualTo(longest);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "garbage",
                "2 1 1 slot 1.json n5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn58",
                "1 1 1 slot 1.json",
                "1 1 1 slot 1.json ",
                "1 1 1 slot 1.json short",
                "1 1 1 slot 1.json !!!!",
                "1 ! 1 slot 1.json n5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn58",
                "1 1 99999999999999 slot 1.json n5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn58",
                "1 1 1 slot ../1.json n5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn58",
                "1 1 1 .. 1.json n5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn58",
                "1 1 1  1.json n5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn58",
                "1 1 1 slot 1.json n5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn5-fn58 more"
            })
    void whatNobodyHasEncodedIsRefused(String metadata) {
        assertThatExceptionOfType(StoppedException.class)
                .isThrownBy(() -> Pointer.decode("flights", metadata))
                .withMessageStartingWith("Cannot read the pointer '" + metadata + "': it is ")
                .withMessageContaining("; use a version of Weir that wrote it, or delete");
    }

    @SeedSource(count = 50)
    void aPointerThatWasCutOffIsRefused(long seed) {
        var whole = pointer(4711, 2, "flights.delays.pod-0.0", 99).encode();
        var part = whole.substring(0, new SplittableRandom(seed).nextInt(whole.length()));

        assertThatExceptionOfType(StoppedException.class).isThrownBy(() -> Pointer.decode("flights", part));
    }
}
