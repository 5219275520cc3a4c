package dev.weir.fault;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** What stands between one worker and its S3 server, and does to its requests what bad days do. */
final class S3Front implements AutoCloseable {

    /** What a request is for. */
    enum Purpose {
        DELTA,
        BASE,
        MANIFEST,
        DECISION,
        RESTORE,
        OTHER
    }

    /** What becomes of a request. */
    sealed interface Fate {
        /** It is served. */
        record Served() implements Fate {}

        /** It is answered with this status and never gets to the server. */
        record Refused(int status) implements Fate {}

        /** It gets there late. */
        record Late(CountDownLatch until) implements Fate {}

        /** It is served, and the reply gets back late. */
        record AnsweredLate(CountDownLatch until) implements Fate {}

        /** One bit of the reply's body is another one. */
        record Altered() implements Fate {}

        /** The connection is cut. */
        record Cut() implements Fate {}
    }

    /** Decides on each request, called by many threads. */
    @FunctionalInterface
    interface Rule {
        Fate fate(Purpose purpose, String method, String path);
    }

    private static final Rule NONE = (purpose, method, path) -> new Fate.Served();

    private final URI server;
    private final ServerSocket listening;
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        var thread = new Thread(work, "s3-front");
        thread.setDaemon(true);
        return thread;
    });
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong struck = new AtomicLong();
    private volatile Rule rule = NONE;

    S3Front(URI server) throws IOException {
        this.server = server;
        this.listening = new ServerSocket(0, 100, InetAddress.getByName("127.0.0.1"));
        threads.execute(this::accept);
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + listening.getLocalPort());
    }

    /** From now on this rule holds. */
    void rule(Rule newRule) {
        rule = newRule;
    }

    /** All is served again. */
    void heal() {
        rule = NONE;
    }

    /** How many requests were not simply served. */
    long struck() {
        return struck.get();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                var client = listening.accept();
                sockets.add(client);
                threads.execute(() -> serve(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                var upstream = new Socket(server.getHost(), server.getPort())) {
            sockets.add(upstream);
            client.setTcpNoDelay(true);
            upstream.setTcpNoDelay(true);
            var in = new BufferedInputStream(client.getInputStream(), 64 << 10);
            var back = new BufferedInputStream(upstream.getInputStream(), 64 << 10);
            while (exchange(in, client.getOutputStream(), back, upstream.getOutputStream())) {
                // One request after the other.
            }
            sockets.remove(upstream);
        } catch (IOException e) {
            // One of the two has gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            sockets.remove(client);
        }
    }

    private boolean exchange(InputStream in, OutputStream out, InputStream back, OutputStream up)
            throws IOException, InterruptedException {
        var head = head(in);
        if (head.isEmpty()) {
            return false;
        }
        if (has(head, "expect", "100-continue")) {
            out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(US_ASCII));
            out.flush();
            head = without(head, "expect");
        }
        byte[] body = body(in, head, false);
        var words = head.substring(0, head.indexOf('\r')).split(" ");
        var fate = rule.fate(purpose(words[0], words[1], body), words[0], words[1]);
        if (!(fate instanceof Fate.Served)) {
            struck.incrementAndGet();
        }
        if (fate instanceof Fate.Cut) {
            return false;
        }
        if (fate instanceof Fate.Refused refused) {
            out.write(("HTTP/1.1 " + refused.status() + " Refused\r\nContent-Length: 0\r\n\r\n").getBytes(US_ASCII));
            out.flush();
            return true;
        }
        if (fate instanceof Fate.Late late) {
            late.until().await();
        }
        up.write(head.getBytes(ISO_8859_1));
        up.write(body);
        up.flush();
        var reply = head(back);
        if (reply.isEmpty()) {
            return false;
        }
        boolean bodyless =
                words[0].equals("HEAD") || reply.startsWith("HTTP/1.1 204") || reply.startsWith("HTTP/1.1 304");
        byte[] content = bodyless ? new byte[0] : body(back, reply, true);
        if (fate instanceof Fate.AnsweredLate late) {
            late.until().await();
        }
        if (fate instanceof Fate.Altered && content.length > 0) {
            content[content.length / 2] ^= 1;
        }
        out.write(reply.getBytes(ISO_8859_1));
        out.write(content);
        out.flush();
        return !has(reply, "connection", "close");
    }

    private static Purpose purpose(String method, String path, byte[] body) {
        boolean put = method.equals("PUT") || method.equals("POST");
        if (path.contains("/manifests/")) {
            return put ? Purpose.MANIFEST : Purpose.OTHER;
        }
        if (path.contains("/checkpoints/")) {
            return put ? Purpose.DECISION : Purpose.OTHER;
        }
        if (!path.contains("/objects/")) {
            return Purpose.OTHER;
        }
        if (put) {
            return new String(body, 0, Math.min(400, body.length), ISO_8859_1).contains("WDLT")
                    ? Purpose.DELTA
                    : Purpose.BASE;
        }
        return method.equals("GET") ? Purpose.RESTORE : Purpose.OTHER;
    }

    /** The lines up to the empty one, that one included; empty at the end of the stream. */
    private static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        int c;
        while ((c = in.read()) >= 0) {
            head.append((char) c);
            int length = head.length();
            if (c == '\n' && length >= 4 && head.charAt(length - 3) == '\n') {
                return head.toString();
            }
        }
        return "";
    }

    /** A body as it stands on the wire, chunks and all. */
    private static byte[] body(InputStream in, String head, boolean untilClosed) throws IOException {
        if (has(head, "transfer-encoding", "chunked")) {
            return chunks(in);
        }
        var length = value(head, "content-length");
        if (!length.isEmpty()) {
            return in.readNBytes(Integer.parseInt(length));
        }
        return untilClosed ? in.readAllBytes() : new byte[0];
    }

    private static byte[] chunks(InputStream in) throws IOException {
        var all = new ByteArrayOutputStream();
        while (true) {
            var line = line(in);
            all.write(line.getBytes(ISO_8859_1));
            int size = Integer.parseInt(line.strip().split(";")[0], 16);
            all.write(in.readNBytes(size));
            all.write(line(in).getBytes(ISO_8859_1));
            if (size == 0) {
                return all.toByteArray();
            }
        }
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        int c;
        while ((c = in.read()) >= 0) {
            line.append((char) c);
            if (c == '\n') {
                break;
            }
        }
        return line.toString();
    }

    private static String value(String head, String name) {
        for (var line : head.split("\r\n")) {
            if (line.toLowerCase(Locale.ROOT).startsWith(name + ":")) {
                return line.substring(name.length() + 1).strip();
            }
        }
        return "";
    }

    private static boolean has(String head, String name, String value) {
        return value(head, name).equalsIgnoreCase(value);
    }

    private static String without(String head, String name) {
        var rest = new StringBuilder();
        for (var line : head.split("\r\n")) {
            if (!line.toLowerCase(Locale.ROOT).startsWith(name + ":")) {
                rest.append(line).append("\r\n");
            }
        }
        return rest.append("\r\n").toString();
    }

    /** Cuts all that is open. */
    void cut() {
        for (var socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                // It is closed then.
            }
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
        threads.shutdownNow();
    }
}
