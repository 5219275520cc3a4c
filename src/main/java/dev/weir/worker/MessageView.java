package dev.weir.worker;

import dev.weir.api.Headers;
import dev.weir.api.Message;
import dev.weir.codec.MessageCodec;
import dev.weir.kafka.Records;
import org.jspecify.annotations.Nullable;

/** The message being handled. */
final class MessageView implements Message<Object, Object> {

    private @Nullable Records records;
    private int index;
    private @Nullable Object key;
    private @Nullable Object value;
    private boolean tombstone;

    void set(Records newRecords, int newIndex, byte @Nullable [] keyBytes, MessageCodec codec) {
        records = newRecords;
        index = newIndex;
        var topic = newRecords.partition().topic();
        var valueBytes = newRecords.value(newIndex);
        tombstone = valueBytes == null;
        key = codec.decodeKey(topic, keyBytes);
        value = codec.decodeValue(topic, valueBytes);
    }

    private Records records() {
        if (records == null) {
            throw new IllegalStateException("Cannot read the message: none is being handled");
        }
        return records;
    }

    @Override
    public String topic() {
        return records().partition().topic();
    }

    @Override
    public int partition() {
        return records().partition().partition();
    }

    @Override
    public long offset() {
        return records().offset(index);
    }

    @Override
    public long timestamp() {
        return records().timestamp(index);
    }

    @Override
    @SuppressWarnings(
            "NullAway") // Null where the record has none, as the interface says; the type argument cannot say so
    // here.
    public Object key() {
        return key;
    }

    @Override
    @SuppressWarnings("NullAway") // Null for a tombstone, as the interface says; the type argument cannot say so here.
    public Object value() {
        return value;
    }

    @Override
    public boolean isTombstone() {
        return tombstone;
    }

    @Override
    public Headers headers() {
        return records().headers(index);
    }
}
