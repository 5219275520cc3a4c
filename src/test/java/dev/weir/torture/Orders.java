package dev.weir.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.failure.TransientException;
import dev.weir.time.Clock;
import dev.weir.time.Pause;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What this worker has been told to suffer, a line each on its standard input: {@code die POINT n} at the n-th time that it gets there,
 * {@code store FAULT millis}, {@code calm}. It writes down what has happened to it, before it dies of it. It dies too when its input ends,
 * so that none outlives the campaign.
 */
final class Orders {

    /** How a worker ends that was told to die: as one killed by SIGKILL does. */
    static final int KILLED = 137;

    /** What it writes down when it has got its first records. */
    static final String WORKS = "works";

    private static final int ORPHANED = 3;

    private final Clock clock = Clock.system();
    private final Path diary;
    private final AtomicInteger requests = new AtomicInteger();
    private @Nullable Point point;
    private int passes;
    private boolean works;
    private @Nullable StoreFault fault;
    /** How long the fault is on, from the first request that it strikes; counted in {@link #faultEndsMillis} from then. */
    private long faultMillis;

    private long faultEndsMillis;

    Orders(Path diary) {
        this.diary = diary;
    }

    /** Takes orders on a thread of its own. */
    void listen() {
        var thread = new Thread(
                () -> {
                    try (var lines = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
                        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                            take(line.split(" "));
                        }
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    } finally {
                        Runtime.getRuntime().halt(ORPHANED);
                    }
                },
                "torture-orders");
        thread.setDaemon(true);
        thread.start();
    }

    private synchronized void take(String[] words) {
        switch (words[0]) {
            case "die" -> {
                point = Point.valueOf(words[1]);
                passes = Integer.parseInt(words[2]);
            }
            case "store" -> {
                fault = StoreFault.valueOf(words[1]);
                faultMillis = Long.parseLong(words[2]);
                faultEndsMillis = Long.MAX_VALUE;
            }
            default -> {
                point = null;
                fault = null;
            }
        }
    }

    /** It has got records. */
    synchronized void works() {
        if (!works) {
            works = true;
            note(WORKS);
        }
    }

    /** Whether the worker has to die here and now; the caller may do something half before it does. */
    synchronized boolean isDue(Point at) {
        return at == point && --passes <= 0;
    }

    /** Dies if that is due here. */
    void pass(Point at) {
        if (isDue(at)) {
            die(at);
        }
    }

    /** Writes down where it was, and ends the process as SIGKILL does. */
    void die(Point at) {
        note("died " + at);
        Runtime.getRuntime().halt(KILLED);
    }

    /** Lets a request to the object store suffer what is on. */
    void request(String what) {
        var now = current();
        if (now == null || now == StoreFault.CORRUPT) {
            return;
        }
        if (now == StoreFault.ERRORS && requests.incrementAndGet() % 2 == 0) {
            return;
        }
        strike(now);
        if (now == StoreFault.SLOW) {
            Pause.real().await(Duration.ofMillis(300));
            return;
        }
        while (now == StoreFault.HANGING && current() == now) {
            Pause.real().await(Duration.ofMillis(50));
        }
        throw new TransientException("Cannot " + what + ": the store answers 503, as it was told to; try again");
    }

    /** Alters what was read, if that is on. */
    byte[] read(byte[] content) {
        if (current() == StoreFault.CORRUPT && content.length > 0) {
            strike(StoreFault.CORRUPT);
            content[content.length / 2] ^= 1;
        }
        return content;
    }

    private synchronized void strike(StoreFault now) {
        if (faultEndsMillis == Long.MAX_VALUE) {
            faultEndsMillis = clock.millis() + faultMillis;
        }
        note("store " + now);
    }

    private synchronized @Nullable StoreFault current() {
        return clock.millis() < faultEndsMillis ? fault : null;
    }

    private synchronized void note(String line) {
        try {
            Files.writeString(diary, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
