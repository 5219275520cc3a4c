package dev.weir.snapshot;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * A range of an object on its way to a reader: ends after exactly the range's length, and throws {@link IOException} where the
 * source breaks off before. A reader may try again from where it was.
 */
public final class RangeStream extends FilterInputStream {

    private final String name;
    private final long length;
    private final Runnable abandon;
    private long remaining;

    /**
     * A stream over a source that stands at the range's first byte.
     *
     * @param name of the object, for messages
     * @param abandon is run before the source is closed if the reader closes early, so that the rest need not be fetched
     */
    public RangeStream(InputStream source, String name, long length, Runnable abandon) {
        super(source);
        this.name = name;
        this.length = length;
        this.abandon = abandon;
        this.remaining = length;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int wanted) throws IOException {
        if (wanted == 0) {
            return 0;
        }
        if (remaining == 0) {
            return -1;
        }
        int read;
        try {
            read = in.read(target, offset, (int) Math.min(wanted, remaining));
        } catch (IOException | RuntimeException e) {
            throw broken(e.toString(), e);
        }
        if (read < 0) {
            throw broken("the source has no more", null);
        }
        remaining -= read;
        return read;
    }

    @Override
    public long skip(long wanted) throws IOException {
        var buffer = new byte[(int) Math.max(0, Math.min(wanted, 1 << 16))];
        return Math.max(0, read(buffer, 0, buffer.length));
    }

    @Override
    public int available() throws IOException {
        return (int) Math.min(remaining, in.available());
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    private IOException broken(String reason, @Nullable Exception cause) {
        return new IOException(
                "Cannot read object " + name + ": its stream broke off after " + (length - remaining) + " of " + length
                        + " bytes: " + reason + "; try again",
                cause);
    }

    @Override
    public void close() throws IOException {
        if (remaining > 0) {
            remaining = 0;
            abandon.run();
        }
        in.close();
    }
}
