package dev.weir.simulation;

import dev.weir.simulation.Workload.Item;
import dev.weir.simulation.Workload.Total;
import dev.weir.testkit.InMemoryKafka.StoredRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** What a processor that keeps a total per key must have written and must hold, computed straight from the input. */
final class Oracle {

    private final Map<Integer, List<StoredRecord>> input = new TreeMap<>();

    /** Takes a partition's whole log. */
    Oracle with(int partition, List<StoredRecord> records) {
        input.put(partition, List.copyOf(records));
        return this;
    }

    /** The outputs for the records of a partition below a position, in their order. */
    List<Total> outputs(int partition, long below) {
        List<Total> outputs = new ArrayList<>();
        Map<String, Long> totals = new LinkedHashMap<>();
        for (var record : records(partition, below)) {
            var item = Item.parse(Objects.requireNonNull(record.value()));
            long total = totals.merge(item.key(), item.delta(), Long::sum);
            outputs.add(new Total(partition, record.offset(), item.key(), total));
        }
        return outputs;
    }

    /** The totals by key after the records of a partition below a position. */
    Map<String, Long> state(int partition, long below) {
        Map<String, Long> totals = new TreeMap<>();
        outputs(partition, below).forEach(output -> totals.put(output.key(), output.total()));
        return totals;
    }

    /** The partitions. */
    Iterable<Integer> partitions() {
        return input.keySet();
    }

    /** The position behind a partition's last record. */
    long end(int partition) {
        var records = input.getOrDefault(partition, List.of());
        return records.isEmpty() ? 0 : records.get(records.size() - 1).offset() + 1;
    }

    private List<StoredRecord> records(int partition, long below) {
        return input.getOrDefault(partition, List.of()).stream()
                .filter(record -> record.marker() == null && record.offset() < below)
                .toList();
    }
}
