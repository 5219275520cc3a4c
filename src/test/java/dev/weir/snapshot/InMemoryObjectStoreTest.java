package dev.weir.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class InMemoryObjectStoreTest extends ObjectStoreContract {

    @Override
    ObjectStore openEmpty() {
        return new InMemoryObjectStore(Clock.system());
    }

    @Test
    void takesTimesFromItsClock() {
        var clock = new Clock() {
            long millis = 5_000;

            @Override
            public long wallMillis() {
                return millis;
            }

            @Override
            public long nanos() {
                return 0;
            }
        };
        var timed = new InMemoryObjectStore(clock);
        timed.put("a", bytes("x"));
        clock.millis = 7_000;
        timed.createIfAbsent("b", bytes("x"));
        var times = new ArrayList<Instant>();
        timed.list("", each -> times.add(each.modified()));

        assertThat(times).containsExactly(Instant.ofEpochMilli(5_000), Instant.ofEpochMilli(7_000));
    }
}
