package dev.weir.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.ConfigurationException;
import dev.weir.fixture.LocalS3;
import dev.weir.snapshot.s3.S3ObjectStore;
import dev.weir.snapshot.s3.S3Settings;
import dev.weir.snapshot.s3.S3Settings.Addressing;
import dev.weir.snapshot.s3.S3Settings.Checksums;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class S3ObjectStoreIT extends ObjectStoreContract {

    private static LocalS3 server;
    private static int stores;

    @BeforeAll
    static void startServer(@TempDir Path data) throws Exception {
        LocalS3.useCredentials();
        server = LocalS3.start(data);
    }

    @AfterAll
    static void stopServer() throws Exception {
        server.close();
    }

    private static S3Settings.Builder settings(String bucket) {
        return S3Settings.bucket(bucket).endpoint(server.endpoint()).addressing(Addressing.PATH);
    }

    @Override
    ObjectStore openEmpty() {
        return S3ObjectStore.open(
                settings(server.bucket()).prefix("store/" + stores++).build());
    }

    @Override
    int rounds() {
        return 30;
    }

    @Test
    void namesBucketAndPrefix() {
        assertThat(store.describe()).matches("s3://weir/store/\\d+");
    }

    @Test
    void keepsPrefixesApart() {
        try (var other = openEmpty()) {
            store.put("a", bytes("mine"));
            other.put("a", bytes("other"));
            other.delete(List.of("a"));

            assertThat(store.get("a")).isEqualTo(bytes("mine"));
            assertThat(names("")).containsExactly("a");
        }
    }

    /** R28: servers that know no newer checksums. */
    @Test
    void worksWithoutTheNewerChecksums() throws IOException {
        var plain = settings(server.bucket())
                .prefix("plain")
                .checksums(Checksums.WHEN_REQUIRED, Checksums.WHEN_REQUIRED)
                .multipart(6 << 20, 5 << 20)
                .build();
        var content = random(12 << 20);
        try (var other = S3ObjectStore.open(plain)) {
            other.put("large", file(content));
            other.put("small", bytes("x"));
            other.probe();

            assertThat(Sha256.of(other.get("large"))).isEqualTo(Sha256.of(content));
            other.delete(List.of("large", "small"));
            assertThat(other.exists("small")).isFalse();
        }
    }

    @Test
    void namesABucketThatIsNotThere() {
        try (var other = S3ObjectStore.open(settings("no-such-bucket").build())) {
            assertNoBucket(() -> other.put("a", bytes("x")));
            assertNoBucket(() -> other.createIfAbsent("a", bytes("x")));
            assertNoBucket(() -> other.get("a"));
            assertNoBucket(() -> other.open("a", 0, 1));
            assertNoBucket(() -> other.exists("a"));
            assertNoBucket(() -> other.list("", each -> {}));
            assertNoBucket(other::probe);
        }
    }

    private static void assertNoBucket(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContainingAll("no-such-bucket", server.endpoint().toString());
    }
}
