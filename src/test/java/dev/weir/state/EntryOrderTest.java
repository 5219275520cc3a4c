package dev.weir.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.SeedSource;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.SplittableRandom;
import java.util.TreeSet;

class EntryOrderTest {

    /** Keys short and long, with much and little in common, with zeros where short ones end. */
    @SeedSource(count = 200)
    void sortsLikeASetOfUnsignedBytes(long seed) {
        var random = new SplittableRandom(seed);
        byte[] common = new byte[random.nextInt(4)];
        random.nextBytes(common);
        var keys = new LinkedHashSet<Bytes>();
        int kinds = random.nextInt(1, 257);
        for (int i = random.nextInt(300); i > 0; i--) {
            byte[] key = new byte[common.length + random.nextInt(9)];
            System.arraycopy(common, 0, key, 0, common.length);
            for (int at = common.length; at < key.length; at++) {
                key[at] = (byte) random.nextInt(kinds);
            }
            keys.add(Bytes.of(key));
        }
        var data = ByteBuffer.allocate(20_000).order(ByteOrder.nativeOrder());
        var list = new ArrayList<>(keys);
        int[] keyAt = new int[list.size()];
        for (int i = 0; i < keyAt.length; i++) {
            keyAt[i] = data.position();
            data.putInt(list.get(i).array().length).put(list.get(i).array());
        }

        var sorted = new ArrayList<Bytes>();
        for (int number : new EntryOrder(data.array(), keyAt, keyAt.length).ascending()) {
            sorted.add(list.get(number));
        }

        assertThat(sorted).isEqualTo(new ArrayList<>(new TreeSet<>(keys)));
    }
}
