package dev.weir.snapshot.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.ConfigurationException;
import dev.weir.snapshot.s3.S3Settings.Encryption;
import java.net.URI;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class S3SettingsTest {

    @ParameterizedTest
    @ValueSource(strings = {"", "ab", "Bucket", "a_b_c", "-abc", "abc-", "a/b/c"})
    void refusesBuckets(String bucket) {
        assertThatThrownBy(() -> S3Settings.bucket(bucket).build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("Cannot use S3 as the object store: bucket is \"" + bucket + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/a", "a/", "a//b", "..", "a/../b", "a b", "a+"})
    void refusesPrefixes(String prefix) {
        assertRefused("prefix is \"" + prefix + "\"", settings -> settings.prefix(prefix));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3.example.com",
                "ftp://s3.example.com",
                "http:/x",
                "http://host?q=1",
                "http://host#f",
                "file:///x"
            })
    void refusesEndpoints(String endpoint) {
        assertRefused("endpoint is", settings -> settings.endpoint(URI.create(endpoint)));
    }

    @Test
    void refusesAndDoesNotRepeatCredentialsInAnEndpoint() {
        assertThatThrownBy(() -> S3Settings.bucket("bucket")
                        .endpoint(URI.create("http://user:secret@host"))
                        .build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageNotContainingAny("secret", "user:");
    }

    @Test
    void refusesTheRest() {
        assertRefused("region is", settings -> settings.region("EU West"));
        assertRefused("there is a KMS key", settings -> settings.encryption(Encryption.SSE_S3, "key"));
        assertRefused("storage class is \"GLACIER\"", settings -> settings.storageClass("GLACIER"));
        assertRefused("the most connections are 0", settings -> settings.maxConnections(0));
        assertRefused("the most attempts are 0", settings -> settings.maxAttempts(0));
        assertRefused("attempt is PT0S", settings -> settings.timeouts(Duration.ofSeconds(1), Duration.ZERO));
        assertRefused("shorter than that", settings -> settings.timeouts(Duration.ofSeconds(1), Duration.ofSeconds(2)));
        assertRefused("parts have 1 bytes", settings -> settings.multipart(1, 1));
        assertRefused("from 0 bytes", settings -> settings.multipart(0, S3Settings.MIN_PART_BYTES));
    }

    @Test
    void takesWhatWorks() {
        assertThatCode(() -> S3Settings.bucket("my.bucket-1")
                        .prefix("team/weir")
                        .region("eu-central-1")
                        .endpoint(URI.create("https://s3.example.com:9000/base"))
                        .encryption(Encryption.SSE_KMS, null)
                        .storageClass("STANDARD_IA")
                        .build())
                .doesNotThrowAnyException();
        assertThat(S3Settings.bucket("bucket").build().partBytes()).isEqualTo(16 << 20);
    }

    private static void assertRefused(String part, UnaryOperator<S3Settings.Builder> change) {
        assertThatThrownBy(() -> change.apply(S3Settings.bucket("bucket")).build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("Cannot use S3 as the object store: ")
                .hasMessageContaining(part);
    }
}
