package dev.weir.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.SeedSource;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StateCacheTest {

    @SeedSource(count = 40)
    void whatItSaysIsWhatWasPutLast(long seed) {
        var random = new SplittableRandom(seed);
        var cache = new StateCache(1L << random.nextInt(10, 17));
        int[] owners = {cache.newOwner(), cache.newOwner()};
        var put = new HashMap<String, byte[]>();
        int hits = 0;
        for (int step = 0; step < 20_000; step++) {
            int owner = owners[random.nextInt(2)];
            var key = key((int) Math.sqrt(random.nextInt(200 * 200)));
            String name = owner + "/" + key;
            if (random.nextInt(3) == 0) {
                byte[] value = random.nextInt(5) == 0 ? null : new byte[random.nextInt(random.nextInt(1, 60))];
                if (value != null) {
                    Arrays.fill(value, (byte) random.nextInt());
                }
                cache.put(owner, key, value);
                put.put(name, value);
            }
            byte[] found = cache.get(owner, key);
            assertThat(cache.contains(owner, key)).isEqualTo(found != StateCache.ABSENT);
            if (found != StateCache.ABSENT) {
                hits++;
                assertThat(put).containsKey(name);
                assertThat(found).isEqualTo(put.get(name));
            }
        }
        assertThat(hits).isPositive();
        assertThat(cache.size()).isLessThanOrEqualTo(put.size());
    }

    @Test
    void keepsEverythingWhileThereIsRoom() {
        var cache = new StateCache(1 << 20);
        int owner = cache.newOwner();
        for (int i = 0; i < 5_000; i++) {
            cache.put(owner, key(i), new byte[i % 50]);
        }
        assertThat(cache.size()).isEqualTo(5_000);
        for (int i = 0; i < 5_000; i++) {
            assertThat(cache.get(owner, key(i))).hasSize(i % 50);
        }
    }

    @Test
    void whatIsReadStaysLongerThanWhatIsNot() {
        var cache = new StateCache(64 << 10);
        int owner = cache.newOwner();
        cache.put(owner, key(-1), new byte[8]);
        cache.put(owner, key(-2), new byte[8]);
        for (int i = 0; i < 10_000; i++) {
            cache.put(owner, key(i), new byte[8]);
            assertThat(cache.get(owner, key(-1))).isNotSameAs(StateCache.ABSENT).hasSize(8);
        }
        assertThat(cache.get(owner, key(-2))).isSameAs(StateCache.ABSENT);
        assertThat(cache.size()).isLessThan(2_000);
    }

    @Test
    void whatIsTooLargeIsNotKeptAndNotLeftAsItWas() {
        var cache = new StateCache(64 << 10);
        int owner = cache.newOwner();
        cache.put(owner, key(1), new byte[8]);
        cache.put(owner, key(1), new byte[40 << 10]);
        assertThat(cache.get(owner, key(1))).isSameAs(StateCache.ABSENT);
    }

    @Test
    void ofNoSizeItKeepsNothing() {
        var cache = new StateCache(0);
        int owner = cache.newOwner();
        cache.put(owner, key(1), new byte[8]);
        assertThat(cache.get(owner, key(1))).isSameAs(StateCache.ABSENT);
        assertThat(cache.size()).isZero();
    }

    private static Bytes key(int i) {
        return Bytes.of(StorageKeys.value(1, Integer.toString(i).getBytes(StandardCharsets.US_ASCII)));
    }
}
