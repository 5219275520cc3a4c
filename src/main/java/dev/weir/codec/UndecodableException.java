package dev.weir.codec;

import org.jspecify.annotations.Nullable;

/**
 * A record's key or value does not decode. Its message never quotes the record's contents, the cause's may. The caller treats the record as its
 * error policy says; decoding it again does not help.
 */
public final class UndecodableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Which bytes of a record. */
    public enum Part {
        KEY,
        VALUE
    }

    private final String topic;
    private final Part part;

    /** With the topic that the record is of, which of its parts does not decode, and the type that was expected. */
    public UndecodableException(String topic, Part part, String expected, @Nullable Throwable cause) {
        super(
                "Cannot decode the " + (part == Part.KEY ? "key" : "value") + " of a record of topic " + topic
                        + ": it is no " + expected,
                cause);
        this.topic = topic;
        this.part = part;
    }

    /** The topic. */
    public String topic() {
        return topic;
    }

    /** The part that does not decode. */
    public Part part() {
        return part;
    }
}
