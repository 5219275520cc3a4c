package dev.weir.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.zip.CRC32;

/**
 * What was written into the input, and what must come of it: for each partition the items in their order, and by a plain fold over
 * them the outputs and the state of a processor that keeps a total per key.
 */
final class Sequence {

    private final Map<Integer, List<Written>> written = new TreeMap<>();

    /** The {@code seq}-th item of its partition, from 1. */
    record Item(int partition, long seq, String key, long delta) {

        byte[] bytes() {
            return sealed(partition + "," + seq + "," + key + "," + delta);
        }

        static Item parse(byte[] bytes) {
            var parts = opened(bytes).split(",");
            return new Item(Integer.parseInt(parts[0]), Long.parseLong(parts[1]), parts[2], Long.parseLong(parts[3]));
        }
    }

    /** The total of a key after an item. */
    record Total(int partition, long seq, String key, long total) {

        byte[] bytes() {
            return sealed(partition + "," + seq + "," + key + "," + total);
        }

        static Total parse(byte[] bytes) {
            var parts = opened(bytes).split(",");
            return new Total(Integer.parseInt(parts[0]), Long.parseLong(parts[1]), parts[2], Long.parseLong(parts[3]));
        }

        /** What its order is kept within. */
        String channel() {
            return partition + "/" + key;
        }
    }

    private record Written(Item item, long offset) {}

    /** An item stands in its partition at this offset. */
    synchronized void add(Item item, long offset) {
        written.computeIfAbsent(item.partition(), p -> new ArrayList<>()).add(new Written(item, offset));
    }

    /** What has been written so far is not for the processor. */
    synchronized void clear() {
        written.clear();
    }

    /** Such items are not to be processed: nothing must come of them. */
    synchronized void remove(Predicate<Item> such) {
        written.values().forEach(items -> items.removeIf(each -> such.test(each.item())));
    }

    /** All items, each partition's in their order. */
    synchronized List<Item> items() {
        return written.values().stream()
                .flatMap(List::stream)
                .map(Written::item)
                .toList();
    }

    /** Where an item stands in its partition. */
    synchronized long offset(Item item) {
        return written.getOrDefault(item.partition(), List.of()).stream()
                .filter(each -> each.item().equals(item))
                .mapToLong(Written::offset)
                .findFirst()
                .orElseThrow();
    }

    /** The partitions that have items. */
    synchronized List<Integer> partitions() {
        return List.copyOf(written.keySet());
    }

    /** The offset behind a partition's last item; 0 without any. */
    synchronized long end(int partition) {
        var items = written.getOrDefault(partition, List.of());
        return items.isEmpty() ? 0 : items.get(items.size() - 1).offset() + 1;
    }

    /** How many items there are. */
    synchronized int size() {
        return written.values().stream().mapToInt(List::size).sum();
    }

    /** The outputs for a partition's items below an offset, in the items' order. */
    synchronized List<Total> totals(int partition, long below) {
        var totals = new HashMap<String, Long>();
        var outputs = new ArrayList<Total>();
        for (var each : written.getOrDefault(partition, List.of())) {
            if (each.offset() < below) {
                var item = each.item();
                long total = totals.merge(item.key(), item.delta(), Long::sum);
                outputs.add(new Total(partition, item.seq(), item.key(), total));
            }
        }
        return outputs;
    }

    /** The total of each key after a partition's items below an offset. */
    Map<String, Long> state(int partition, long below) {
        var state = new TreeMap<String, Long>();
        totals(partition, below).forEach(total -> state.put(total.key(), total.total()));
        return state;
    }

    private static byte[] sealed(String text) {
        return (text + ";" + crc(text)).getBytes(UTF_8);
    }

    private static String opened(byte[] bytes) {
        String all = new String(bytes, UTF_8);
        int at = all.lastIndexOf(';');
        if (at < 0 || !all.substring(at + 1).equals(Long.toString(crc(all.substring(0, at))))) {
            throw new AssertionError("The record was altered: " + all);
        }
        return all.substring(0, at);
    }

    private static long crc(String text) {
        var crc = new CRC32();
        crc.update(text.getBytes(UTF_8));
        return crc.getValue();
    }
}
