package dev.weir.snapshot.s3;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A little S3 server that answers as told: puts, conditional puts, gets and heads work unless an answer is scripted. */
final class FaultyS3 implements AutoCloseable {

    interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final ConcurrentLinkedQueue<Answer> script = new ConcurrentLinkedQueue<>();
    private volatile Answer always = this::serve;
    private volatile boolean heedingConditions = true;

    /** Path of a request's object, to its content. */
    final Map<String, byte[]> objects = new ConcurrentHashMap<>();
    /** Method and address of each request. */
    final List<String> requests = new CopyOnWriteArrayList<>();

    FaultyS3() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            var next = script.poll();
            try (exchange) {
                (next == null ? always : next).to(exchange);
            }
        });
        server.start();
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Answers to the next requests, in order. */
    void next(Answer... answers) {
        script.addAll(Arrays.asList(answers));
    }

    /** The answer to every request that has none of its own. */
    void always(Answer answer) {
        always = answer;
    }

    /** Overwrites objects from now on, whatever the condition. */
    void ignoreConditions() {
        heedingConditions = false;
    }

    static Answer status(int status, String code) {
        return exchange -> answer(exchange, status, error(code));
    }

    static Answer xml(String body) {
        return exchange -> answer(exchange, 200, body);
    }

    static Answer wrongRegion(int status, String region) {
        return exchange -> {
            exchange.getResponseHeaders().set("x-amz-bucket-region", region);
            answer(exchange, status, error(status == 301 ? "PermanentRedirect" : "TemporaryRedirect"));
        };
    }

    /** Serves the request, and drops the connection instead of answering. */
    Answer applied() {
        return exchange -> apply(exchange);
    }

    /** Drops the connection without doing anything. */
    static Answer dropped() {
        return exchange -> exchange.getRequestBody().readAllBytes();
    }

    /** Promises more bytes than come. */
    static Answer cut(int promised, int sent) {
        return exchange -> {
            exchange.sendResponseHeaders(exchange.getRequestHeaders().containsKey("Range") ? 206 : 200, promised);
            exchange.getResponseBody().write(new byte[sent]);
            exchange.getResponseBody().flush();
        };
    }

    /** Never answers. */
    Answer hanging() {
        return exchange -> {
            try {
                closing.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
    }

    void serve(HttpExchange exchange) throws IOException {
        int status = apply(exchange);
        if (status != 200) {
            answer(exchange, status, error(status == 412 ? "PreconditionFailed" : "NoSuchKey"));
            return;
        }
        var content = objects.getOrDefault(exchange.getRequestURI().getPath(), new byte[0]);
        if (exchange.getRequestMethod().equals("GET")) {
            exchange.sendResponseHeaders(200, content.length == 0 ? -1 : content.length);
            exchange.getResponseBody().write(content);
        } else {
            exchange.getResponseHeaders().set("ETag", "\"1\"");
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.getResponseHeaders().set("Content-Length", String.valueOf(content.length));
            }
            exchange.sendResponseHeaders(200, -1);
        }
    }

    private int apply(HttpExchange exchange) throws IOException {
        var path = exchange.getRequestURI().getPath();
        var body = body(exchange);
        switch (exchange.getRequestMethod()) {
            case "PUT" -> {
                if (heedingConditions && exchange.getRequestHeaders().containsKey("If-None-Match")) {
                    return objects.putIfAbsent(path, body) == null ? 200 : 412;
                }
                objects.put(path, body);
                return 200;
            }
            default -> {
                return objects.containsKey(path) || path.equals("/bucket") ? 200 : 404;
            }
        }
    }

    /** The body, freed of the chunks with signatures that the SDK sends over plain HTTP. */
    private static byte[] body(HttpExchange exchange) throws IOException {
        var raw = exchange.getRequestBody().readAllBytes();
        if (!exchange.getRequestHeaders().containsKey("x-amz-decoded-content-length")) {
            return raw;
        }
        var body = new ByteArrayOutputStream();
        int at = 0;
        while (true) {
            int line = at;
            while (raw[line] != '\r') {
                line++;
            }
            var header = new String(raw, at, line - at, UTF_8);
            int length = Integer.parseInt(header.replaceFirst(";.*", ""), 16);
            if (length == 0) {
                return body.toByteArray();
            }
            body.write(raw, line + 2, length);
            at = line + 2 + length + 2;
        }
    }

    private static String error(String code) {
        return "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>as told</Message></Error>";
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        exchange.getRequestBody().readAllBytes();
        exchange.getResponseHeaders().set("Content-Type", "application/xml");
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(status, -1);
        } else {
            var bytes = body.getBytes(UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
