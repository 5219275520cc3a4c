package dev.weir.example;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** What the totals of the example's flights are, computed without any of this. */
final class RightAnswers {

    private RightAnswers() {}

    static Map<String, Totals> read() throws IOException {
        Map<String, Totals> answers = new TreeMap<>();
        try (var lines = new BufferedReader(
                new InputStreamReader(FlightFile.resource("/flights-20k.by-origin.csv"), StandardCharsets.UTF_8))) {
            lines.readLine();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] columns = line.split(",", -1);
                answers.put(
                        columns[0],
                        new Totals(
                                Long.parseLong(columns[1]),
                                Long.parseLong(columns[2]),
                                Long.parseLong(columns[3]),
                                Integer.parseInt(columns[4]),
                                Long.parseLong(columns[5])));
            }
        }
        return answers;
    }
}
