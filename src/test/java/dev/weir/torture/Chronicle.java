package dev.weir.torture;

import dev.weir.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What was done to a domain and when, from the start of a seed; kept in a file as it goes. */
final class Chronicle {

    private final Clock clock = Clock.system();
    private final long began = clock.millis();
    private final Path file;
    private final List<String> lines = new ArrayList<>();

    Chronicle(Path file) {
        this.file = file;
    }

    /** Seconds since the start. */
    double seconds() {
        return (clock.millis() - began) / 1000.0;
    }

    synchronized void note(String what) {
        var line = String.format(Locale.ROOT, "%7.2f  %s", seconds(), what);
        lines.add(line);
        try {
            Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    synchronized List<String> lines() {
        return List.copyOf(lines);
    }
}
