package dev.weir.coordinator;

import dev.weir.time.Background;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** Background work that is done on the owner's thread when the owner asks for what has arrived, all lanes in one order; what that
 * submits in turn waits for the next time. */
final class HandedBackground implements Background {

    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean held;

    /** Work waits until {@link #release}. */
    void hold() {
        held = true;
    }

    void release() {
        held = false;
    }

    @Override
    public <T> Job submit(String lane, Work<T> work, Consumer<T> done, Consumer<Throwable> failed) {
        var cancelled = new boolean[1];
        waiting.add(() -> {
            T result;
            try {
                result = work.run(() -> cancelled[0]);
            } catch (Exception e) {
                if (!cancelled[0]) {
                    failed.accept(e);
                }
                return;
            }
            if (!cancelled[0]) {
                done.accept(result);
            }
        });
        return () -> cancelled[0] = true;
    }

    @Override
    public void post(Runnable event) {
        waiting.add(event);
    }

    @Override
    public int deliver() {
        int arrived = held ? 0 : waiting.size();
        for (int i = 0; i < arrived && !waiting.isEmpty(); i++) {
            waiting.remove().run();
        }
        return arrived;
    }

    @Override
    public int await(Duration atMost) {
        return deliver();
    }

    @Override
    public void close() {
        waiting.clear();
    }
}
