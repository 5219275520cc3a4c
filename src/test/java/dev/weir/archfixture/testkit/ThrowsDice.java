package dev.weir.archfixture.testkit;

import java.util.Random;
import java.util.SplittableRandom;

final class ThrowsDice {

    int seeded() {
        return new Random(1).nextInt();
    }

    int unseeded() {
        return new SplittableRandom().nextInt();
    }
}
