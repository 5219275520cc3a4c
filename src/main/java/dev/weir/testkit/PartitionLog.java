package dev.weir.testkit;

import dev.weir.api.Headers;
import dev.weir.barrier.ControlRecord;
import dev.weir.barrier.Marker;
import dev.weir.barrier.MarkerCodec;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One partition: entries by offset, transaction markers among them, and which transactions are open. */
final class PartitionLog {

    /** What a producer sends. */
    record Payload(
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers,
            long timestamp,
            @Nullable Marker marker,
            @Nullable ControlRecord control) {

        static Payload of(byte @Nullable [] key, byte @Nullable [] value, Headers headers, long timestamp) {
            var header = headers.isEmpty() ? null : headers.last(MarkerCodec.HEADER);
            var marker = header == null ? null : MarkerCodec.decode(header.value());
            return new Payload(key, value, headers, timestamp, marker, null);
        }
    }

    /** An entry; {@code payload} is null for a transaction marker. */
    record Entry(
            long offset,
            @Nullable Payload payload,
            @Nullable Transaction transaction) {}

    /** A transaction's part in this partition. */
    static final class Transaction {
        private final long firstOffset;
        private boolean aborted;
        private boolean ended;

        private Transaction(long firstOffset) {
            this.firstOffset = firstOffset;
        }
    }

    private final TopicPartition id;
    private final List<Entry> entries = new ArrayList<>();
    private final Map<Long, Transaction> open = new LinkedHashMap<>();
    private long start;

    PartitionLog(TopicPartition id) {
        this.id = id;
    }

    TopicPartition id() {
        return id;
    }

    long start() {
        return start;
    }

    long end() {
        return entries.size();
    }

    /** Below this offset every transaction has ended. */
    long stableEnd() {
        return open.isEmpty() ? end() : open.values().iterator().next().firstOffset;
    }

    Entry entry(long offset) {
        return entries.get((int) offset);
    }

    long append(Payload payload) {
        return add(payload, null);
    }

    long append(Payload payload, long producerId) {
        var transaction = open.get(producerId);
        if (transaction == null) {
            transaction = new Transaction(end());
            open.put(producerId, transaction);
        }
        return add(payload, transaction);
    }

    void endTransaction(long producerId, boolean committed) {
        var transaction = open.remove(producerId);
        if (transaction != null) {
            transaction.aborted = !committed;
            transaction.ended = true;
            add(null, null);
        }
    }

    private long add(@Nullable Payload payload, @Nullable Transaction transaction) {
        long offset = end();
        entries.add(new Entry(offset, payload, transaction));
        return offset;
    }

    /** The first offset from {@code from} on that holds a committed record; the stable end if there is none. */
    long nextCommitted(long from) {
        long limit = stableEnd();
        long offset = from;
        while (offset < limit) {
            var entry = entry(offset);
            if (entry.payload() != null && (entry.transaction() == null || !entry.transaction().aborted)) {
                break;
            }
            offset++;
        }
        return offset;
    }

    /** Whether the entry is a record that is committed, though it may stand behind an open transaction. */
    static boolean isCommitted(Entry entry) {
        return entry.payload() != null
                && (entry.transaction() == null || (entry.transaction().ended && !entry.transaction().aborted));
    }

    long offsetAt(long timestamp) {
        for (long offset = start; offset < end(); offset++) {
            var payload = entry(offset).payload();
            if (payload != null && payload.timestamp() >= timestamp) {
                return offset;
            }
        }
        return end();
    }

    void deleteBelow(long offset) {
        start = Math.max(start, Math.min(offset, end()));
    }
}
