package dev.weir.snapshot.s3;

import static dev.weir.snapshot.s3.FaultyS3.cut;
import static dev.weir.snapshot.s3.FaultyS3.dropped;
import static dev.weir.snapshot.s3.FaultyS3.status;
import static dev.weir.snapshot.s3.FaultyS3.wrongRegion;
import static dev.weir.snapshot.s3.FaultyS3.xml;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.CorruptionException;
import dev.weir.failure.TransientException;
import dev.weir.snapshot.s3.S3Settings.Addressing;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** F6, F7: what a store says when its server does not do what it should. */
class S3FaultsTest {

    private static final String KEY = "/bucket/p/a";
    private static final byte[] MINE = "mine".getBytes(UTF_8);
    private static final byte[] OTHER = "other".getBytes(UTF_8);

    @TempDir
    Path files;

    private FaultyS3 server;
    private S3ObjectStore once;
    private S3ObjectStore thrice;

    @BeforeEach
    void start() throws IOException {
        server = new FaultyS3();
        once = open(server.endpoint(), 1);
        thrice = open(server.endpoint(), 3);
    }

    @AfterEach
    void stop() {
        once.close();
        thrice.close();
        server.close();
    }

    private static S3ObjectStore open(URI endpoint, int attempts) {
        return S3ObjectStore.open(
                S3Settings.bucket("bucket")
                        .prefix("p")
                        .region("us-east-1")
                        .endpoint(endpoint)
                        .addressing(Addressing.PATH)
                        .timeouts(Duration.ofSeconds(10), Duration.ofMillis(1500))
                        .maxAttempts(attempts)
                        .multipart(1, S3Settings.MIN_PART_BYTES)
                        .build(),
                StaticCredentialsProvider.create(AwsBasicCredentials.create("key", "secret")));
    }

    /** Every operation, by the permission that it needs. */
    private Map<String, List<ThrowingCallable>> operations(S3ObjectStore store) throws IOException {
        var file = Files.write(files.resolve("file"), MINE);
        var operations = new LinkedHashMap<String, List<ThrowingCallable>>();
        operations.put(
                "s3:PutObject",
                List.of(() -> store.put("a", MINE), () -> store.put("a", file), () -> store.createIfAbsent("a", MINE)));
        operations.put(
                "s3:GetObject", List.of(() -> store.get("a"), () -> store.open("a", 0, 1), () -> store.exists("a")));
        operations.put("s3:ListBucket", List.of(() -> store.list("", each -> {})));
        operations.put("s3:DeleteObject", List.of(() -> store.delete(List.of("a"))));
        return operations;
    }

    private void assertAll(Class<? extends Exception> type, String... parts) throws IOException {
        for (var operation : operations(once).entrySet()) {
            for (var call : operation.getValue()) {
                assertThatThrownBy(call)
                        .isInstanceOf(type)
                        .hasMessageStartingWith("Cannot ")
                        .hasMessageContainingAll(parts);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"500,InternalError", "502,BadGateway", "503,SlowDown", "504,GatewayTimeout", "429,TooManyRequests"})
    void callsAnOverloadedServerTransient(int status, String code) throws IOException {
        server.always(status(status, code));

        assertAll(TransientException.class, String.valueOf(status), "try again");
    }

    @Test
    void callsASilentServerTransient() throws IOException {
        server.always(server.hanging());

        assertAll(
                TransientException.class,
                "did not answer within PT1.5S",
                server.endpoint().toString());
    }

    @Test
    void callsARefusedConnectionTransient() throws IOException {
        server.close();

        assertAll(TransientException.class, server.endpoint().toString());
    }

    @Test
    void callsADroppedConnectionTransient() throws IOException {
        server.always(dropped());

        assertAll(TransientException.class, server.endpoint().toString());
    }

    /** R30. */
    @ParameterizedTest
    @ValueSource(ints = {301, 307})
    void namesTheRegionOfTheBucket(int status) throws IOException {
        server.always(wrongRegion(status, "eu-west-1"));

        assertAll(ConfigurationException.class, "bucket bucket is in region eu-west-1, not in region us-east-1");
    }

    @Test
    void namesThePermissionThatIsMissing() throws IOException {
        server.always(status(403, "AccessDenied"));

        for (var operation : operations(once).entrySet()) {
            for (var call : operation.getValue()) {
                assertThatThrownBy(call)
                        .isInstanceOf(ConfigurationException.class)
                        .hasMessageContainingAll("403", operation.getKey(), "s3://bucket/p");
            }
        }
    }

    @Test
    void namesTheBucketThatIsMissing() throws IOException {
        server.always(status(404, "NoSuchBucket"));

        assertAll(ConfigurationException.class, "there is no bucket bucket at " + server.endpoint());
    }

    @Test
    void saysThatThereAreNoCredentials() {
        var settings = S3Settings.bucket("bucket").endpoint(server.endpoint()).build();
        try (var store = S3ObjectStore.open(settings, EnvironmentVariableCredentialsProvider.create())) {
            assertThatThrownBy(() -> store.get("a"))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("there are no AWS credentials");
        }
    }

    @Test
    void namesTheConditionThatTheServerDoesNotKnow() {
        server.always(status(501, "NotImplemented"));

        assertThatThrownBy(() -> once.createIfAbsent("a", MINE))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("If-None-Match");
    }

    @Test
    void probesThatTheServerHeedsTheCondition() {
        server.ignoreConditions();

        assertThatThrownBy(() -> once.probe())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("lets a second writer replace an object");
    }

    @Test
    void triesAgainByItself() {
        server.objects.put(KEY, MINE);
        server.next(status(503, "SlowDown"), dropped());

        assertThat(thrice.get("a")).isEqualTo(MINE);
        assertThat(server.requests).hasSize(3);
    }

    @Test
    void getsNothingLessThanTheObject() {
        server.objects.put(KEY, MINE);
        server.next(cut(4, 2));
        assertThat(thrice.get("a")).isEqualTo(MINE);

        server.next(cut(4, 2));
        assertThatThrownBy(() -> once.get("a")).isInstanceOf(TransientException.class);
    }

    @Test
    void breaksAStreamThatIsCut() throws IOException {
        server.next(cut(100_000, 50_000));

        try (var in = once.open("a", 0, 100_000)) {
            assertThatThrownBy(in::readAllBytes)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("Cannot read object a: ");
        }
    }

    @Test
    void refusesAnswersThatAreNotTheRange() {
        server.next(cut(5, 5), cut(20, 20));

        assertThatThrownBy(() -> once.open("a", 10, 10))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("it has only 15 bytes");
        assertThatThrownBy(() -> once.open("a", 10, 10).close())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("instead of a range");
    }

    @Test
    void tellsAMissingObjectFromAMissingBucket() {
        assertThat(once.exists("a")).isFalse();
        assertThat(server.requests).containsExactly("HEAD " + KEY, "HEAD /bucket");
        assertThat(once.exists("a")).isFalse();
        assertThat(server.requests).hasSize(3);
    }

    /** F5: the first reply is lost after it took effect, so that the second attempt meets its own object. */
    @Test
    void knowsItsOwnObjectAfterALostReply() {
        server.next(server.applied());
        assertThat(thrice.createIfAbsent("a", MINE)).isTrue();
        assertThat(server.requests).containsExactly("PUT " + KEY, "PUT " + KEY, "GET " + KEY);

        server.objects.clear();
        server.next(server.applied());
        assertThat(once.createIfAbsent("a", MINE)).isTrue();
    }

    @Test
    void knowsAnothersObjectAfterALostReply() {
        server.objects.put(KEY, OTHER);
        server.next(dropped());
        assertThat(thrice.createIfAbsent("a", MINE)).isFalse();

        server.next(dropped());
        assertThat(once.createIfAbsent("a", MINE)).isFalse();

        server.next(status(409, "ConditionalRequestConflict"));
        assertThat(once.createIfAbsent("a", MINE)).isFalse();

        server.next(status(500, "InternalError"));
        assertThat(once.createIfAbsent("a", MINE)).isFalse();
        assertThat(server.objects).containsEntry(KEY, OTHER);
    }

    @Test
    void saysNothingThatItDoesNotKnow() {
        server.next(dropped());
        assertThatThrownBy(() -> once.createIfAbsent("a", MINE)).isInstanceOf(TransientException.class);

        server.next(status(409, "ConditionalRequestConflict"));
        assertThatThrownBy(() -> once.createIfAbsent("a", MINE)).isInstanceOf(TransientException.class);

        server.next(server.applied(), dropped());
        assertThatThrownBy(() -> once.createIfAbsent("a", MINE)).isInstanceOf(TransientException.class);
        assertThat(once.createIfAbsent("a", MINE)).isTrue();
    }

    @Test
    void abortsAnUploadThatFails() throws IOException {
        var file = Files.write(files.resolve("f"), new byte[6 << 20]);
        server.next(
                xml("<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>"),
                server::serve,
                status(500, "InternalError"));

        assertThatThrownBy(() -> once.put("a", file)).isInstanceOf(TransientException.class);
        assertThat(server.requests)
                .hasSize(4)
                .last()
                .asString()
                .startsWith("DELETE " + KEY)
                .contains("uploadId=u1");
    }

    @Test
    void knowsAnUploadThatCompletedAlthoughTheReplyWasLost() throws IOException {
        var file = Files.write(files.resolve("f"), new byte[6 << 20]);
        server.next(
                xml("<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>"),
                server::serve,
                server::serve,
                exchange -> {
                    dropped().to(exchange);
                    server.objects.put(KEY, new byte[6 << 20]);
                },
                status(404, "NoSuchUpload"));

        thrice.put("a", file);
        assertThat(server.requests).last().isEqualTo("HEAD " + KEY);
    }

    /** I10: no parts are left behind. */
    @Test
    void discardsOldUnfinishedUploads() {
        var upload = "<Upload><Key>%s</Key><UploadId>%s</UploadId><Initiated>%s</Initiated></Upload>";
        var begun = Instant.parse("2026-01-02T00:00:00Z");
        server.next(xml("<ListMultipartUploadsResult>" + upload.formatted("p/a", "old", begun.minusSeconds(1))
                + upload.formatted("p/a", "new", begun) + upload.formatted("q/a", "foreign", begun.minusSeconds(1))
                + "</ListMultipartUploadsResult>"));

        once.discardUnfinished(begun);

        assertThat(server.requests).hasSize(2);
        assertThat(server.requests.get(0)).startsWith("GET /bucket?uploads").contains("prefix=p%2F");
        assertThat(server.requests.get(1)).isEqualTo("DELETE " + KEY + "?uploadId=old");
    }

    @Test
    void saysWhichObjectOfABatchWasNotDeleted() {
        server.next(xml("<DeleteResult><Error><Key>p/b</Key><Code>AccessDenied</Code></Error></DeleteResult>"));
        assertThatThrownBy(() -> once.delete(List.of("a", "b")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContainingAll("p/b", "s3:DeleteObject");

        server.next(xml("<DeleteResult><Error><Key>p/b</Key><Code>InternalError</Code></Error></DeleteResult>"));
        assertThatThrownBy(() -> once.delete(List.of("a", "b"))).isInstanceOf(TransientException.class);
    }

    @Test
    void refusesAListingOutOfOrderAndIgnoresWhatItDidNotAskFor() {
        var object =
                "<Contents><Key>%s</Key><Size>1</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>";
        server.next(xml("<ListBucketResult>" + object.formatted("q/a") + object.formatted("p/b")
                + object.formatted("p/c d") + object.formatted("p/e") + "</ListBucketResult>"));
        var names = new ArrayList<String>();
        once.list("", each -> names.add(each.name()));
        assertThat(names).containsExactly("b", "e");

        server.next(
                xml("<ListBucketResult>" + object.formatted("p/b") + object.formatted("p/a") + "</ListBucketResult>"));
        assertThatThrownBy(() -> once.list("", each -> {}))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("a comes after b");
    }
}
