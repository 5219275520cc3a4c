package dev.weir.example;

import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** Opens the example's data. */
final class FlightFile {

    private static final String OWN = "/example/flights-20k.ndjson.gz";

    private FlightFile() {}

    /** The lines of a file; of the example's own if no file is named. */
    static BufferedReader open(String file) throws IOException {
        InputStream bytes = file.isEmpty() ? resource(OWN) : Files.newInputStream(Path.of(file));
        boolean packed = file.isEmpty() || file.endsWith(".gz");
        return new BufferedReader(
                new InputStreamReader(packed ? new GZIPInputStream(bytes) : bytes, StandardCharsets.UTF_8));
    }

    static InputStream resource(String name) throws IOException {
        InputStream stream = FlightFile.class.getResourceAsStream(name);
        if (stream == null) {
            throw new FileNotFoundException("Cannot find " + name + " on the class path");
        }
        return stream;
    }
}
