package dev.weir.barrier;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * How a marker stands in a record: the header alone makes the record a marker. The key is reserved and the value small, and neither is
 * null, so that compacted topics accept them and no value means a deletion.
 */
public final class MarkerCodec {

    /** The name of the header that makes a record a marker. */
    public static final String HEADER = "weir.marker";

    /** What an unreadable marker decodes to: a marker of no domain, which nobody acts on and nobody gives to a user. */
    public static final Marker UNREADABLE = new Marker("", "", 0, 0);

    private static final byte VERSION = 1;
    private static final String KEY = "\u0000weir.marker";
    private static final String VALUE = "weir marker";

    private MarkerCodec() {}

    /** The key of a marker record. */
    public static byte[] key() {
        return KEY.getBytes(StandardCharsets.UTF_8);
    }

    /** The value of a marker record. */
    public static byte[] value() {
        return VALUE.getBytes(StandardCharsets.UTF_8);
    }

    /** The value of the header. */
    public static byte[] encode(Marker marker) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeUTF(marker.domain());
            out.writeUTF(marker.clusterId());
            out.writeLong(marker.incarnation());
            out.writeLong(marker.checkpoint());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    /** The marker that a header's value says, or {@link #UNREADABLE} if it is damaged or of a version that is not known here. */
    public static Marker decode(byte @Nullable [] header) {
        if (header == null || header.length == 0 || header[0] != VERSION) {
            return UNREADABLE;
        }
        try (var in = new DataInputStream(new ByteArrayInputStream(header, 1, header.length - 1))) {
            var marker = new Marker(in.readUTF(), in.readUTF(), in.readLong(), in.readLong());
            return in.available() == 0 ? marker : UNREADABLE;
        } catch (IOException damaged) {
            return UNREADABLE;
        }
    }
}
