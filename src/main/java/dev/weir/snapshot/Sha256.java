package dev.weir.snapshot;

import dev.weir.failure.CorruptionException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** SHA-256 digests, as 64 lower-case hexadecimal digits, and a stream that proves what it read. */
public final class Sha256 {

    private static final int BUFFER_BYTES = 1 << 16;

    private Sha256() {}

    /** The digest of some bytes. */
    public static String of(byte[] content) {
        return hex(newDigest().digest(content));
    }

    /** The digest of a file. */
    public static String of(Path file) throws IOException {
        var digest = newDigest();
        var buffer = new byte[BUFFER_BYTES];
        try (var in = Files.newInputStream(file)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
            }
        }
        return hex(digest.digest());
    }

    /**
     * A stream that gives the bytes of another one and, with the last expected byte, checks that there are no more and no fewer
     * and that they have the digest. The read that would hand over the last byte throws {@link CorruptionException} if not. What
     * was read before the end of the stream is not proven; a reader who closes it earlier has proof of nothing.
     *
     * @param object name of the object, for the message
     * @param length number of bytes expected
     * @param expected digest expected
     */
    public static InputStream verifying(InputStream in, String object, long length, String expected) {
        return new Verifying(in, object, length, expected);
    }

    private static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    private static String hex(byte[] digest) {
        return HexFormat.of().formatHex(digest);
    }

    private static final class Verifying extends FilterInputStream {

        private final MessageDigest digest = newDigest();
        private final String object;
        private final long length;
        private final String expected;
        private long count;
        private boolean verified;
        private @Nullable CorruptionException refusal;

        Verifying(InputStream in, String object, long length, String expected) {
            super(in);
            this.object = object;
            this.length = length;
            this.expected = expected;
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
            if (count == length) {
                verifyEnd();
                return -1;
            }
            int read = in.read(target, offset, (int) Math.min(wanted, length - count));
            if (read < 0) {
                throw corruption("it ends after " + count + " bytes, expected " + length);
            }
            digest.update(target, offset, read);
            count += read;
            if (count == length) {
                verifyEnd();
            }
            return read;
        }

        @Override
        public long skip(long wanted) throws IOException {
            var buffer = new byte[(int) Math.max(0, Math.min(wanted, BUFFER_BYTES))];
            return Math.max(0, read(buffer, 0, buffer.length));
        }

        @Override
        public boolean markSupported() {
            return false;
        }

        private void verifyEnd() throws IOException {
            if (verified) {
                return;
            }
            if (refusal != null) {
                throw refusal;
            }
            if (in.read() >= 0) {
                throw corruption("it is longer than the expected " + length + " bytes");
            }
            var actual = hex(digest.digest());
            if (!actual.equals(expected)) {
                throw corruption("its SHA-256 is " + actual + ", expected " + expected);
            }
            verified = true;
        }

        private CorruptionException corruption(String reason) {
            refusal = new CorruptionException("Cannot read object " + object + ": " + reason
                    + "; the stored bytes are damaged, restore from another checkpoint or from a copy of the store");
            return refusal;
        }
    }
}
