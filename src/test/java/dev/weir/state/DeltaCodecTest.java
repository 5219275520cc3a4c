package dev.weir.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.CorruptionException;
import dev.weir.topology.TaskId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DeltaCodecTest {

    static LongStream seeds() {
        Long one = Long.getLong("weir.seed");
        return one == null ? LongStream.rangeClosed(1, 30) : LongStream.of(one);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void sectionsAreReadAloneAsTheyWereWritten(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Changes> all = new ArrayList<>();
        for (int i = 0; i < random.nextInt(5); i++) {
            all.add(random(random, new TaskId("pr\u00f6c-" + i, random.nextInt(1000))));
        }
        DeltaCodec.Encoded encoded = DeltaCodec.encode(all);
        assertThat(encoded.sections()).hasSameSizeAs(all);
        int end = 0;
        for (int i = 0; i < all.size(); i++) {
            DeltaCodec.Section section = encoded.sections().get(i);
            assertThat(section.offset()).isEqualTo(end);
            end += section.length();
            Changes read = DeltaCodec.decode(Arrays.copyOfRange(encoded.bytes(), section.offset(), end));
            assertThat(read.task()).isEqualTo(all.get(i).task()).isEqualTo(section.task());
            assertThat(read.epoch()).isEqualTo(all.get(i).epoch()).isEqualTo(section.epoch());
            assertThat(plain(read)).isEqualTo(plain(all.get(i)));
            assertThat(new ArrayList<>(read.entries().keySet())).isSorted();
        }
        assertThat(encoded.bytes()).hasSize(end);
    }

    @Test
    void equalChangesHaveEqualBytes() {
        Map<Bytes, byte @Nullable []> forth = new LinkedHashMap<>();
        Map<Bytes, byte @Nullable []> back = new LinkedHashMap<>();
        for (int i = 0; i < 300; i++) {
            forth.put(Bytes.of(new byte[] {1, (byte) i}), new byte[] {(byte) i});
            back.put(Bytes.of(new byte[] {1, (byte) (299 - i)}), new byte[] {(byte) (299 - i)});
        }
        TaskId task = new TaskId("p", 0);
        assertThat(bytes(Changes.of(task, 1, forth))).isEqualTo(bytes(Changes.of(task, 1, back)));
        assertThat(bytes(Changes.of(task, 2, forth))).isNotEqualTo(bytes(Changes.of(task, 1, back)));
    }

    @Test
    void tellsRemovedFromEmpty() {
        Map<Bytes, byte @Nullable []> entries = new HashMap<>();
        entries.put(Bytes.of(new byte[0]), new byte[0]);
        entries.put(Bytes.of(new byte[] {1}), null);
        Changes read = DeltaCodec.decode(bytes(Changes.of(new TaskId("p", 0), 1, entries)));
        assertThat(read.entries()).hasSize(2);
        assertThat(read.entries().get(Bytes.of(new byte[0]))).isNotNull().isEmpty();
        assertThat(read.entries()).containsEntry(Bytes.of(new byte[] {1}), null);
    }

    @Test
    void refusesEveryTruncationAndExtension() {
        byte[] section = bytes(random(new SplittableRandom(7), new TaskId("orders", 12)));
        for (int length = 0; length < section.length; length++) {
            refused(Arrays.copyOf(section, length));
        }
        refused(Arrays.copyOf(section, section.length + 1));
    }

    @Test
    void refusesEveryChangedByte() {
        byte[] section = bytes(random(new SplittableRandom(7), new TaskId("orders", 12)));
        SplittableRandom random = new SplittableRandom(8);
        for (int at = 0; at < section.length; at++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] damaged = section.clone();
                damaged[at] = (byte) (damaged[at] ^ (1 << bit));
                refused(damaged);
            }
            byte[] damaged = section.clone();
            damaged[at] = (byte) (damaged[at] + 1 + random.nextInt(255));
            refused(damaged);
        }
    }

    @Test
    void saysWhatItRefuses() {
        byte[] section = bytes(Changes.of(new TaskId("p", 0), 1, Map.of()));
        byte[] newer = section.clone();
        newer[4] = 2;
        assertThatThrownBy(() -> DeltaCodec.decode(newer)).hasMessageContaining("version 2 is unknown");
        byte[] compressed = section.clone();
        compressed[5] = 1;
        assertThatThrownBy(() -> DeltaCodec.decode(compressed)).hasMessageContaining("compression 1 is unknown");
        refused("garbage of some length".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void garbageUnderAGoodChecksumIsRefusedOrHarmless(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] section = bytes(random(random, new TaskId("orders", 12)));
        for (int round = 0; round < 300; round++) {
            byte[] damaged = Arrays.copyOf(section, 11 + random.nextInt(section.length - 10));
            for (int i = 0; i < 1 + random.nextInt(4); i++) {
                damaged[10 + random.nextInt(damaged.length - 10)] = (byte) random.nextInt();
            }
            java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
            crc.update(damaged, 10, damaged.length - 10);
            java.nio.ByteBuffer.wrap(damaged).putInt(6, (int) crc.getValue());
            try {
                assertThat(new ArrayList<>(DeltaCodec.decode(damaged).entries().keySet()))
                        .isSorted();
            } catch (CorruptionException e) {
                assertThat(e).hasMessageStartingWith("Cannot decode a delta: ");
            }
        }
    }

    private static void refused(byte[] section) {
        assertThatThrownBy(() -> DeltaCodec.decode(section))
                .isInstanceOf(CorruptionException.class)
                .hasMessageStartingWith("Cannot decode a delta: ");
    }

    private static byte[] bytes(Changes changes) {
        return DeltaCodec.encode(List.of(changes)).bytes();
    }

    private static TreeMap<String, String> plain(Changes changes) {
        TreeMap<String, String> plain = new TreeMap<>();
        changes.entries().forEach((key, value) -> plain.put(key.toString(), Arrays.toString(value)));
        return plain;
    }

    private static Changes random(SplittableRandom random, TaskId task) {
        Map<Bytes, byte @Nullable []> entries = new HashMap<>();
        int count = 3 + random.nextInt(40);
        for (int i = 0; i < count; i++) {
            byte[] key = new byte[random.nextInt(6)];
            random.nextBytes(key);
            byte[] value = new byte[random.nextInt(10) == 0 ? 200 : random.nextInt(4)];
            random.nextBytes(value);
            entries.put(Bytes.of(key), random.nextInt(4) == 0 ? null : value);
        }
        return Changes.of(task, random.nextLong(1, Long.MAX_VALUE), entries);
    }
}
