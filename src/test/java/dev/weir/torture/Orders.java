package dev.weir.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.time.Clock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Where this worker has been told to die, a line each on its standard input: {@code die POINT n} at the n-th time that it gets there,
 * {@code calm}. It writes down where it died before it does, and when it has started, by its own clock. It dies too when its input ends,
 * so that none outlives the campaign.
 */
final class Orders {

    /** How a worker ends that was told to die: as one killed by SIGKILL does. */
    static final int KILLED = 137;

    /** What it writes down when it has got its first records. */
    static final String WORKS = "works";

    /** What it writes down when it starts, before the milliseconds of its clock. */
    static final String BY_MY_CLOCK = "started ";

    private static final int ORPHANED = 3;

    private final Path diary;
    private @Nullable Point point;
    private int passes;
    private boolean works;

    Orders(Path diary) {
        this.diary = diary;
    }

    /** Takes orders on a thread of its own. */
    void listen() {
        note(BY_MY_CLOCK + Clock.system().wallMillis());
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
        if (words[0].equals("die")) {
            point = Point.valueOf(words[1]);
            passes = Integer.parseInt(words[2]);
        } else {
            point = null;
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

    /** Writes down where it was, and ends the process as SIGKILL does; a thread that comes there too does not write any more. */
    synchronized void die(Point at) {
        note("died " + at);
        Runtime.getRuntime().halt(KILLED);
    }

    private synchronized void note(String line) {
        try {
            Files.writeString(diary, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
