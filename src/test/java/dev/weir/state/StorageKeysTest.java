package dev.weir.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class StorageKeysTest {

    @Test
    void keysAreSplitAsTheyWerePutTogether() {
        for (int length : new int[] {0, 1, 127, 128, 16383, 16384, 70000}) {
            for (int mapLength : new int[] {0, 1, 300}) {
                byte[] key = filled(length, 7);
                byte[] mapKey = filled(mapLength, 9);
                byte[] storageKey = StorageKeys.mapEntry(513, key, mapKey);
                assertThat(StorageKeys.stateOf(storageKey)).isEqualTo(513);
                assertThat(StorageKeys.keyOfMapEntry(storageKey)).isEqualTo(key);
                assertThat(StorageKeys.mapKeyOf(storageKey)).isEqualTo(mapKey);
                assertThat(StorageKeys.startsWith(storageKey, StorageKeys.mapPrefix(513, key)))
                        .isTrue();
                assertThat(StorageKeys.startsWith(storageKey, StorageKeys.statePrefix(513)))
                        .isTrue();
            }
        }
        assertThat(StorageKeys.keyOfValue(StorageKeys.value(65535, filled(3, 1))))
                .isEqualTo(filled(3, 1));
        assertThat(StorageKeys.value(258, new byte[0])).isEqualTo(new byte[] {1, 2});
        assertThat(StorageKeys.mapEntry(258, new byte[] {5}, new byte[] {6})).isEqualTo(new byte[] {1, 2, 1, 5, 6});
    }

    @Test
    void theMapOfOneKeyIsNotThatOfALongerKey() {
        byte[] shorter = StorageKeys.mapPrefix(1, new byte[] {5});
        byte[] longer = StorageKeys.mapEntry(1, new byte[] {5, 5}, new byte[0]);
        assertThat(StorageKeys.startsWith(longer, shorter)).isFalse();
    }

    @Test
    void numbersOfStatesAreBounded() {
        for (int wrong : new int[] {-1, 0, 65536}) {
            assertThatIllegalArgumentException().isThrownBy(() -> StorageKeys.value(wrong, new byte[0]));
            assertThatIllegalArgumentException().isThrownBy(() -> StorageKeys.mapPrefix(wrong, new byte[0]));
        }
    }

    @Test
    void aCutOffKeyIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> StorageKeys.mapKeyOf(new byte[] {0, 1}));
        assertThatIllegalArgumentException().isThrownBy(() -> StorageKeys.mapKeyOf(new byte[] {0, 1, (byte) 0x80}));
        assertThatIllegalArgumentException().isThrownBy(() -> StorageKeys.mapKeyOf(new byte[] {0, 1, 5, 1}));
    }

    private static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        java.util.Arrays.fill(bytes, (byte) value);
        return bytes;
    }
}
