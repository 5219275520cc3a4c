package dev.weir.snapshot.s3;

import dev.weir.failure.ConfigurationException;
import dev.weir.snapshot.s3.S3Settings.Addressing;
import dev.weir.snapshot.s3.S3Settings.Checksums;
import java.time.Duration;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.LegacyMd5Plugin;
import software.amazon.awssdk.services.s3.S3Client;

/** Makes the SDK's client from settings. */
final class S3Clients {

    private static final Duration MAX_CONNECT = Duration.ofSeconds(5);

    private S3Clients() {}

    static S3Client create(S3Settings settings, AwsCredentialsProvider credentials) {
        var connect = settings.attemptTimeout().compareTo(MAX_CONNECT) < 0 ? settings.attemptTimeout() : MAX_CONNECT;
        var builder = S3Client.builder()
                .credentialsProvider(credentials)
                .httpClientBuilder(Apache5HttpClient.builder()
                        .maxConnections(settings.maxConnections())
                        .connectionTimeout(connect)
                        .connectionAcquisitionTimeout(settings.callTimeout())
                        .socketTimeout(settings.attemptTimeout()))
                .overrideConfiguration(overrides(settings))
                .forcePathStyle(settings.addressing() == Addressing.PATH)
                .requestChecksumCalculation(
                        settings.requestChecksums() == Checksums.WHEN_REQUIRED
                                ? RequestChecksumCalculation.WHEN_REQUIRED
                                : RequestChecksumCalculation.WHEN_SUPPORTED)
                .responseChecksumValidation(
                        settings.responseChecksums() == Checksums.WHEN_REQUIRED
                                ? ResponseChecksumValidation.WHEN_REQUIRED
                                : ResponseChecksumValidation.WHEN_SUPPORTED);
        if (settings.requestChecksums() == Checksums.WHEN_REQUIRED) {
            builder.addPlugin(LegacyMd5Plugin.create());
        }
        if (settings.endpoint() != null) {
            builder.endpointOverride(settings.endpoint()).region(Region.US_EAST_1);
        }
        if (settings.region() != null) {
            builder.region(Region.of(settings.region()));
        }
        try {
            return builder.build();
        } catch (SdkClientException e) {
            throw new ConfigurationException(
                    "Cannot use S3 as the object store: " + e.getMessage() + "; set the region of bucket "
                            + settings.bucket(),
                    e);
        }
    }

    private static ClientOverrideConfiguration overrides(S3Settings settings) {
        return ClientOverrideConfiguration.builder()
                .apiCallTimeout(settings.callTimeout())
                .apiCallAttemptTimeout(settings.attemptTimeout())
                .retryStrategy(AwsRetryStrategy.standardRetryStrategy().toBuilder()
                        .maxAttempts(settings.maxAttempts())
                        .build())
                .build();
    }
}
