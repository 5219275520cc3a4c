package dev.weir.archfixture.worker;

import java.util.Date;
import java.util.function.LongSupplier;

@SuppressWarnings("JavaUtilDate") // The old class reads the clock too.
final class ReadsClocks {

    long millis() {
        return System.currentTimeMillis();
    }

    LongSupplier nanos() {
        return System::nanoTime;
    }

    Date today() {
        return new Date();
    }

    void rest() throws InterruptedException {
        Thread.sleep(1);
    }

    Date given(long millis) {
        return new Date(millis);
    }
}
