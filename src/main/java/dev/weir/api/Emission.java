package dev.weir.api;

import org.jspecify.annotations.Nullable;

/** A message to be emitted; immutable, each method returns a changed copy. */
public final class Emission {

    private final String topic;
    private final @Nullable Object key;
    private final @Nullable Object value;
    private final Headers headers;
    private final @Nullable Long timestamp;

    private Emission(
            String topic, @Nullable Object key, @Nullable Object value, Headers headers, @Nullable Long timestamp) {
        this.topic = topic;
        this.key = key;
        this.value = value;
        this.headers = headers;
        this.timestamp = timestamp;
    }

    /** An emission to a declared output, without key, value, headers. */
    public static Emission to(String topic) {
        return new Emission(topic, null, null, Headers.none(), null);
    }

    /** With this key; null for none. */
    public Emission key(@Nullable Object newKey) {
        return new Emission(topic, newKey, value, headers, timestamp);
    }

    /** With this value; null for a tombstone. */
    public Emission value(@Nullable Object newValue) {
        return new Emission(topic, key, newValue, headers, timestamp);
    }

    /** With these headers in place of all others. */
    public Emission headers(Headers newHeaders) {
        return new Emission(topic, key, value, newHeaders, timestamp);
    }

    /** With one more header. */
    public Emission header(String name, byte @Nullable [] headerValue) {
        return headers(headers.with(name, headerValue));
    }

    /** With this timestamp in milliseconds since the Unix epoch; the current message's timestamp if it is not set. */
    public Emission timestamp(long millis) {
        if (millis < 0) {
            throw new IllegalArgumentException("Cannot emit with timestamp " + millis + ": it must not be negative");
        }
        return new Emission(topic, key, value, headers, millis);
    }

    /** The output topic. */
    public String topic() {
        return topic;
    }

    /** The key, or null. */
    public @Nullable Object key() {
        return key;
    }

    /** The value, or null. */
    public @Nullable Object value() {
        return value;
    }

    /** The headers. */
    public Headers headers() {
        return headers;
    }

    /** The timestamp if one was set. */
    public @Nullable Long timestamp() {
        return timestamp;
    }
}
