package dev.weir.example;

/**
 * A flight that has departed.
 *
 * @param date when, as {@code 2001/01/01 00:47}
 * @param origin airport of departure, by its IATA code
 * @param destination airport of arrival, by its IATA code
 * @param delay minutes behind schedule, negative if ahead of it
 * @param distance miles
 */
record Flight(String date, String origin, String destination, int delay, int distance) {}
