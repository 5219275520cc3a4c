package dev.weir.fault;

import dev.weir.fixture.KafkaProxy;
import dev.weir.fixture.KafkaProxy.Passed;
import dev.weir.fixture.KafkaProxy.Way;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;

/** What went through the proxy of the clients whose ids begin so, in its order. */
final class Journal implements AutoCloseable {

    private final List<Passed> all = new ArrayList<>();
    private final AutoCloseable observation;

    Journal(KafkaProxy proxy, String clientIdPrefix) {
        observation = proxy.observe(passed -> {
            if (passed.request().clientId().startsWith(clientIdPrefix)) {
                synchronized (all) {
                    all.add(passed);
                }
            }
        });
    }

    /** What there is of one kind and way so far. */
    List<Passed> of(Way way, ApiKeys api) {
        return all().stream()
                .filter(passed -> passed.way() == way && passed.request().api() == api)
                .toList();
    }

    int count(Way way, ApiKeys api) {
        return of(way, api).size();
    }

    /** Everything so far. */
    List<Passed> all() {
        synchronized (all) {
            return List.copyOf(all);
        }
    }

    /** Forgets what there is so far. */
    void clear() {
        synchronized (all) {
            all.clear();
        }
    }

    @Override
    public void close() throws Exception {
        observation.close();
    }
}
