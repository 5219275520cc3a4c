package dev.weir.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.CorruptionException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Sha256Test {

    private static final String OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    private static final String OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    @Test
    void hasTheKnownDigests(@TempDir Path folder) throws IOException {
        assertThat(Sha256.of("abc".getBytes(UTF_8))).isEqualTo(OF_ABC);
        assertThat(Sha256.of(new byte[0])).isEqualTo(OF_NOTHING);
        assertThat(Sha256.of(Files.writeString(folder.resolve("f"), "abc"))).isEqualTo(OF_ABC);
        assertThat(Sha256.of(Files.createFile(folder.resolve("e")))).isEqualTo(OF_NOTHING);
        var large = new byte[1_000_003];
        new Random(1).nextBytes(large);
        assertThat(Sha256.of(Files.write(folder.resolve("l"), large))).isEqualTo(Sha256.of(large));
    }

    @Test
    void handsOverWhatIsRight() throws IOException {
        var content = new byte[200_000];
        new Random(1).nextBytes(content);
        try (var in = verifying(content, content.length, Sha256.of(content))) {
            assertThat(in.read()).isEqualTo(content[0] & 0xff);
            assertThat(in.skip(10)).isEqualTo(10);
            assertThat(in.readAllBytes()).isEqualTo(Arrays.copyOfRange(content, 11, content.length));
            assertThat(in.read()).isEqualTo(-1);
        }
        assertThat(verifying(new byte[0], 0, OF_NOTHING).readAllBytes()).isEmpty();
    }

    /** F7, R24: one wrong bit anywhere, one byte more or less. */
    @Test
    void refusesWhatIsDamaged() {
        var content = "abc".getBytes(UTF_8);
        for (int bit = 0; bit < 24; bit++) {
            var flipped = content.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertCorrupt(verifying(flipped, 3, OF_ABC), "its SHA-256 is " + Sha256.of(flipped), "expected " + OF_ABC);
        }
        assertCorrupt(verifying(Arrays.copyOf(content, 2), 3, OF_ABC), "after 2 bytes, expected 3");
        assertCorrupt(verifying(Arrays.copyOf(content, 4), 3, OF_ABC), "longer than the expected 3 bytes");
        assertCorrupt(verifying(new byte[0], 3, OF_ABC), "after 0 bytes, expected 3");
        assertCorrupt(verifying(content, 0, OF_NOTHING), "longer than the expected 0 bytes");
        assertCorrupt(verifying(new byte[0], 0, OF_ABC), "its SHA-256 is " + OF_NOTHING);
    }

    @Test
    void refusesToAReaderWhoStopsAtTheLastByte() {
        var in = verifying("abd".getBytes(UTF_8), 3, OF_ABC);

        assertThatThrownBy(() -> in.readNBytes(3)).isInstanceOf(CorruptionException.class);
    }

    @Test
    void refusesAgainWhenReadAgain() {
        var in = verifying("abcd".getBytes(UTF_8), 3, OF_ABC);

        assertThatThrownBy(in::readAllBytes).isInstanceOf(CorruptionException.class);
        assertThatThrownBy(in::read).isInstanceOf(CorruptionException.class).hasMessageContaining("longer");
    }

    private static InputStream verifying(byte[] content, long length, String digest) {
        return Sha256.verifying(new ByteArrayInputStream(content), "objects/ab/x", length, digest);
    }

    private static void assertCorrupt(InputStream in, String... parts) {
        assertThatThrownBy(in::readAllBytes)
                .isInstanceOf(CorruptionException.class)
                .hasMessageStartingWith("Cannot read object objects/ab/x: ")
                .hasMessageContainingAll(parts);
    }
}
