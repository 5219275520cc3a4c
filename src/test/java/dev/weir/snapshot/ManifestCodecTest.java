package dev.weir.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.CorruptionException;
import dev.weir.topology.TopicPartition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestCodecTest {

    private static final Manifest MANIFEST = Snapshots.manifest();
    private static final CheckpointManifest CHECKPOINT =
            Snapshots.checkpoint(18, CheckpointManifest.Outcome.COMPLETE, "coordinator-a-1");

    @Test
    void formatOneIsWrittenAsItAlwaysWas() throws IOException {
        assertThat(new String(ManifestCodec.encode(MANIFEST), UTF_8)).isEqualTo(golden("manifest-1.json"));
        assertThat(new String(ManifestCodec.encode(CHECKPOINT), UTF_8)).isEqualTo(golden("checkpoint-1.json"));
    }

    @Test
    void formatOneIsReadForEver() throws IOException {
        assertThat(ManifestCodec.decodeManifest("m", golden("manifest-1.json").getBytes(UTF_8)))
                .isEqualTo(MANIFEST);
        assertThat(ManifestCodec.decodeCheckpoint(
                        "c", golden("checkpoint-1.json").getBytes(UTF_8)))
                .isEqualTo(CHECKPOINT);
    }

    @Test
    void anAbandonedCheckpointComesBackAsItWas() {
        var abandoned = Snapshots.checkpoint(19, CheckpointManifest.Outcome.ABANDONED, "coordinator-a-2");

        assertThat(ManifestCodec.decodeCheckpoint("c", ManifestCodec.encode(abandoned)))
                .isEqualTo(abandoned);
    }

    @Test
    void theSameValueGivesTheSameBytesWhateverTheOrderOfItsMaps() {
        var partitions = new ArrayList<TopicPartition>();
        for (int i = 0; i < 40; i++) {
            partitions.add(new TopicPartition("t" + i % 3, i));
        }
        var forward = new LinkedHashMap<TopicPartition, Long>();
        partitions.forEach(p -> forward.put(p, (long) p.partition()));
        Collections.reverse(partitions);
        var backward = new LinkedHashMap<TopicPartition, Long>();
        partitions.forEach(p -> backward.put(p, (long) p.partition()));

        assertThat(ManifestCodec.encode(withPositions(forward)))
                .isEqualTo(ManifestCodec.encode(withPositions(backward)))
                .isEqualTo(ManifestCodec.encode(withPositions(new HashMap<>(forward))));
    }

    @Test
    void aNewerFormatIsRefusedWithOneSentence() {
        var newer = text(MANIFEST).replace("{\"format\":1,", "{\"format\":7,");

        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> ManifestCodec.decodeManifest("d/manifests/x.json", newer.getBytes(UTF_8)))
                .withMessage("Cannot read manifest d/manifests/x.json: its format is 7, this version reads 1;"
                        + " use a newer Weir");
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> ManifestCodec.decodeCheckpoint(
                        "d/checkpoints/1.json",
                        text(CHECKPOINT)
                                .replace("{\"format\":1,", "{\"format\":2,")
                                .getBytes(UTF_8)))
                .withMessageContaining("its format is 2");
    }

    @Test
    void aFormatThatThisVersionDoesNotWriteIsRefused() {
        var wrong = new Manifest(
                2,
                MANIFEST.domain(),
                MANIFEST.incarnation(),
                MANIFEST.lineage(),
                MANIFEST.slot(),
                MANIFEST.slotEpoch(),
                MANIFEST.createdAtMillis(),
                MANIFEST.tasks());

        assertThatIllegalArgumentException().isThrownBy(() -> ManifestCodec.encode(wrong));
    }

    @Test
    void fieldsThatAreNotKnownAreIgnored() {
        var more = text(MANIFEST)
                .replace("{\"format\":1,", "{\"format\":1,\"zone\":{\"a\":[1]},")
                .replace("{\"task\":", "{\"colour\":null,\"task\":");

        assertThat(ManifestCodec.decodeManifest("m", more.getBytes(UTF_8))).isEqualTo(MANIFEST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "null",
                "[]",
                "42",
                "\"x\"",
                "{}",
                "{\"format\":\"1\"}",
                "{\"format\":0}",
                "\u0000\u0001"
            })
    void whatIsNotAManifestIsRefused(String garbage) {
        var bytes = garbage.getBytes(UTF_8);

        assertThatExceptionOfType(CorruptionException.class)
                .isThrownBy(() -> ManifestCodec.decodeManifest("m.json", bytes))
                .withMessageStartingWith("Cannot read manifest m.json: ");
        assertThatExceptionOfType(CorruptionException.class)
                .isThrownBy(() -> ManifestCodec.decodeCheckpoint("c.json", bytes))
                .withMessageStartingWith("Cannot read checkpoint manifest c.json: ");
    }

    @Test
    void aManifestThatIsCutShortAnywhereIsRefused() {
        for (var whole : List.of(ManifestCodec.encode(MANIFEST), ManifestCodec.encode(CHECKPOINT))) {
            for (int length = 0; length < whole.length; length++) {
                var cut = Arrays.copyOf(whole, length);
                assertThatExceptionOfType(CorruptionException.class)
                        .as("%s of %s bytes", length, whole.length)
                        .isThrownBy(() -> ManifestCodec.decodeManifest("m", cut));
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`\"epoch\":42`            | `\"epoch\":-42`             | tasks[0].epoch",
                "`\"epoch\":42`            | `\"epoch\":42.5`            | tasks[0].epoch",
                "`\"slotEpoch\":1234`      | `\"slotEpoch\":99999999999999999999` | slotEpoch",
                "`\"flights-3\":100`       | `\"flights-3\":-1`          | tasks[0].positions.flights-3",
                "`\"flights-3\":100`       | `\"flights\":100`           | tasks[0].positions.flights",
                "`\"flights-3\":100`       | `\"flights-3\":100,\"flights-3\":101` | not JSON",
                "`airport-delays/11`       | `airport-delays`            | tasks[1].task",
                "`\"name\":\"000012.sst\"` | `\"name\":\"../000012.sst\"` | tasks[0].base.files[0].name",
                "`\"offset\":100`          | `\"offset\":-100`           | tasks[0].deltas[1].offset",
                "`\"aligned\":false`       | `\"aligned\":\"no\"`        | tasks[0].lastCut.aligned",
                "`\"states\":[]`           | `\"statues\":[]`            | tasks[1].states",
                "`\"sha256\":\"1111`       | `\"sha256\":\"XY11`         | tasks[0].base.files[0].sha256",
                "`\"object\":\"flights-domain` | `\"object\":\"/flights-domain` | tasks[0].base.files[0].object",
            })
    void aFieldThatIsNotAsExpectedIsNamed(String written, String damaged, String named) {
        assertThat(text(MANIFEST)).contains(written);
        var bytes = text(MANIFEST).replaceFirst(Pattern.quote(written), damaged).getBytes(UTF_8);

        assertThatExceptionOfType(CorruptionException.class)
                .isThrownBy(() -> ManifestCodec.decodeManifest("m", bytes))
                .withMessageContaining(named);
    }

    private static Manifest withPositions(Map<TopicPartition, Long> positions) {
        var task = MANIFEST.tasks().get(0);
        var changed = new Manifest.TaskSnapshot(
                task.task(), task.epoch(), positions, task.lastCut(), task.base(), task.deltas(), task.states());
        return new Manifest(
                Manifest.FORMAT,
                MANIFEST.domain(),
                MANIFEST.incarnation(),
                MANIFEST.lineage(),
                MANIFEST.slot(),
                MANIFEST.slotEpoch(),
                MANIFEST.createdAtMillis(),
                List.of(changed));
    }

    private static String text(Manifest manifest) {
        return new String(ManifestCodec.encode(manifest), UTF_8);
    }

    private static String text(CheckpointManifest checkpoint) {
        return new String(ManifestCodec.encode(checkpoint), UTF_8);
    }

    private static String golden(String name) throws IOException {
        try (var in = ManifestCodecTest.class.getResourceAsStream(name)) {
            assertThat(in).as("golden file %s", name).isNotNull();
            return new String(in.readAllBytes(), UTF_8).strip();
        }
    }
}
