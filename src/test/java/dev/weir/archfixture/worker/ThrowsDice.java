package dev.weir.archfixture.worker;

import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

final class ThrowsDice {

    UUID name() {
        return UUID.randomUUID();
    }

    int seeded() {
        return new Random(1).nextInt();
    }

    int ours() {
        return ThreadLocalRandom.current().nextInt();
    }
}
