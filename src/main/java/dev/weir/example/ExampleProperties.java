package dev.weir.example;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of the example.
 *
 * @param flights What is sent.
 * @param console Whether this process shows what happens.
 */
@ConfigurationProperties("example")
record ExampleProperties(Flights flights, boolean console) {

    /**
     * What is sent.
     *
     * @param file A file with a flight in JSON on each line, .ndjson or .ndjson.gz; empty for the example's own.
     * @param rate Records a second; 0 for as fast as possible.
     * @param repeat How often the file is sent; 0 for without end.
     * @param produce Whether this process sends flights.
     */
    record Flights(String file, int rate, int repeat, boolean produce) {}
}
