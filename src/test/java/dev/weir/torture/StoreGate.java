package dev.weir.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.time.Pause;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** A worker's way to the S3 server: passes requests on over HTTP, and fails as it is told to. It counts what it has struck. */
final class StoreGate implements AutoCloseable {

    static {
        // The signature covers the host; it must arrive as the client has named it.
        System.setProperty("jdk.httpclient.allowRestrictedHeaders", "host");
    }

    private static final Set<String> OF_THE_CONNECTION =
            Set.of("connection", "content-length", "expect", "transfer-encoding", "upgrade", "http2-settings");

    private final URI server;
    private final HttpServer gate;
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        var thread = new Thread(work, "torture-store");
        thread.setDaemon(true);
        return thread;
    });
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<StoreFault, Long> struck = new EnumMap<>(StoreFault.class);
    private @Nullable StoreFault fault;
    private long requests;

    /** Opens one at an address of this machine. */
    StoreGate(InetAddress address, URI server) {
        this.server = server;
        try {
            gate = HttpServer.create(new InetSocketAddress(address, 0), 128);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        gate.setExecutor(threads);
        gate.createContext("/", this::handle);
        gate.start();
    }

    /** Where its worker finds the server. */
    URI endpoint() {
        return URI.create("http://" + gate.getAddress().getAddress().getHostAddress() + ":"
                + gate.getAddress().getPort());
    }

    /** Fails so from now on. */
    synchronized void fail(StoreFault how) {
        fault = how;
    }

    /** Does not fail any more. */
    synchronized void calm() {
        fault = null;
    }

    /** How many requests have suffered so. */
    synchronized long struck(StoreFault how) {
        return struck.getOrDefault(how, 0L);
    }

    private synchronized @Nullable StoreFault fault() {
        return fault;
    }

    /** What this request has to suffer. */
    private synchronized @Nullable StoreFault fate(HttpExchange exchange) {
        requests++;
        var how = fault;
        if (how == null
                || how == StoreFault.ERRORS && requests % 3 == 0
                || how == StoreFault.UNANSWERED && requests % 2 == 0
                || how == StoreFault.CORRUPT && !isReadOfObject(exchange)) {
            return null;
        }
        struck.merge(how, 1L, Long::sum);
        return how;
    }

    private static boolean isReadOfObject(HttpExchange exchange) {
        return exchange.getRequestMethod().equals("GET")
                && exchange.getRequestURI().getPath().contains("/objects/");
    }

    private void handle(HttpExchange exchange) {
        // An exchange that is closed without an answer is a connection that is hung up.
        try (exchange) {
            var body = exchange.getRequestBody().readAllBytes();
            var fate = fate(exchange);
            if (fate == StoreFault.ERRORS) {
                refuse(exchange);
                return;
            }
            if (fate == StoreFault.HANGING) {
                while (fault() == StoreFault.HANGING) {
                    Pause.real().await(Duration.ofMillis(50));
                }
            }
            if (fate == StoreFault.HANGING || fate == StoreFault.AWAY) {
                return;
            }
            if (fate == StoreFault.SLOW) {
                Pause.real().await(Duration.ofMillis(300));
            }
            var answer = client.send(request(exchange, body), HttpResponse.BodyHandlers.ofByteArray());
            if (fate != StoreFault.UNANSWERED) {
                answer(exchange, answer, fate);
            }
        } catch (IOException gone) {
            // The worker has been killed, or has given up.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpRequest request(HttpExchange exchange, byte[] body) {
        var request = HttpRequest.newBuilder(
                        URI.create(server + exchange.getRequestURI().toString()))
                .method(
                        exchange.getRequestMethod(),
                        body.length == 0
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        return request.build();
    }

    private static void answer(HttpExchange exchange, HttpResponse<byte[]> answer, @Nullable StoreFault fate)
            throws IOException {
        boolean head = exchange.getRequestMethod().equals("HEAD");
        answer.headers().map().forEach((name, values) -> {
            var lower = name.toLowerCase(Locale.ROOT);
            if (!OF_THE_CONNECTION.contains(lower) || head && lower.equals("content-length")) {
                values.forEach(value -> exchange.getResponseHeaders().add(name, value));
            }
        });
        var body = answer.body();
        if (fate == StoreFault.CORRUPT && body.length > 0) {
            body[body.length / 2] ^= 1;
        }
        exchange.sendResponseHeaders(answer.statusCode(), body.length == 0 ? -1 : body.length);
        if (body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }

    private synchronized void refuse(HttpExchange exchange) throws IOException {
        boolean busy = requests % 2 == 0;
        var body = ("<?xml version=\"1.0\"?><Error><Code>" + (busy ? "SlowDown" : "InternalError")
                        + "</Code><Message>as told</Message></Error>")
                .getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/xml");
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(busy ? 503 : 500, head ? -1 : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        calm();
        gate.stop(0);
        threads.shutdownNow();
    }
}
