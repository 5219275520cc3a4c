package dev.weir.snapshot.s3;

import dev.weir.failure.ConfigurationException;
import dev.weir.snapshot.ObjectNames;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where an {@link S3ObjectStore} is and how it is talked to. Refuses itself with a {@link ConfigurationException} if it cannot
 * work. It holds no credentials.
 *
 * @param bucket name of the bucket, which must exist
 * @param prefix of every key, without a slash at its end; empty for the bucket's root
 * @param region of the bucket; null for the default of the AWS SDK (environment, profile, instance), or {@code us-east-1} if
 *     there is an endpoint
 * @param endpoint of a server that is not Amazon's; null for Amazon's
 * @param addressing how the bucket is named in requests
 * @param requestChecksums when requests carry checksums
 * @param responseChecksums when checksums of responses are verified
 * @param encryption of objects by the server
 * @param kmsKeyId key for {@link Encryption#SSE_KMS}; null for the account's default key
 * @param storageClass of objects, as in S3's interface; null for the bucket's default
 * @param maxConnections most connections at a time; every stream that is open holds one
 * @param callTimeout for one call with all its attempts
 * @param attemptTimeout for one attempt; for reading, also between two arrivals of data
 * @param maxAttempts of a call, from 1
 * @param multipartThresholdBytes size from which a file is uploaded in parts
 * @param partBytes size of a part
 */
public record S3Settings(
        String bucket,
        String prefix,
        @Nullable String region,
        @Nullable URI endpoint,
        Addressing addressing,
        Checksums requestChecksums,
        Checksums responseChecksums,
        Encryption encryption,
        @Nullable String kmsKeyId,
        @Nullable String storageClass,
        int maxConnections,
        Duration callTimeout,
        Duration attemptTimeout,
        int maxAttempts,
        long multipartThresholdBytes,
        long partBytes) {

    /** Smallest part that S3 accepts. */
    public static final long MIN_PART_BYTES = 5L << 20;

    /** Largest part, and largest object of a single request, that S3 accepts. */
    public static final long MAX_PART_BYTES = 5L << 30;

    private static final int MAX_PREFIX_LENGTH = 200;
    private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
    private static final Pattern REGION = Pattern.compile("[a-z0-9-]{1,40}");
    private static final Set<String> STORAGE_CLASSES = Set.of(
            "STANDARD",
            "REDUCED_REDUNDANCY",
            "STANDARD_IA",
            "ONEZONE_IA",
            "INTELLIGENT_TIERING",
            "GLACIER_IR",
            "OUTPOSTS",
            "SNOW");

    /** How a bucket is named in requests. */
    public enum Addressing {
        /** In the host name; Amazon's way. */
        VIRTUAL_HOST,
        /** In the path; for most other servers. */
        PATH
    }

    /** When checksums of S3's own are used. Weir's hashes are verified in either case. */
    public enum Checksums {
        /** Wherever the operation has them. */
        WHEN_SUPPORTED,
        /** Only where it must, and then MD5 in requests: for servers that do not know newer ones. */
        WHEN_REQUIRED
    }

    /** What the server encrypts objects with. */
    public enum Encryption {
        /** Whatever the bucket's default is. */
        NONE,
        /** Keys that S3 keeps. */
        SSE_S3,
        /** A key of the key management service. */
        SSE_KMS
    }

    public S3Settings {
        check(
                BUCKET.matcher(bucket).matches(),
                "bucket is \"" + bucket + "\"",
                "use the 3 to 63 characters of [a-z0-9.-] of a bucket's name");
        check(
                prefix.isEmpty() || (prefix.length() <= MAX_PREFIX_LENGTH && ObjectNames.isName(prefix)),
                "prefix is \"" + prefix + "\"",
                "use at most " + MAX_PREFIX_LENGTH
                        + " characters of [a-z0-9A-Z._=/-] without a slash at the beginning or the end");
        check(
                region == null || REGION.matcher(region).matches(),
                "region is \"" + region + "\"",
                "use a name such as eu-central-1");
        check(
                endpoint == null || isServer(endpoint),
                "endpoint is \"" + withoutUser(endpoint) + "\"",
                "use http or https, a host and if need be a port, without user, query or fragment");
        check(
                kmsKeyId == null || encryption == Encryption.SSE_KMS,
                "there is a KMS key, but encryption is " + encryption,
                "set encryption to SSE_KMS or remove the key");
        check(
                storageClass == null || STORAGE_CLASSES.contains(storageClass),
                "storage class is \"" + storageClass + "\"",
                "use one whose objects can be read at once: " + String.join(", ", new TreeSet<>(STORAGE_CLASSES)));
        check(
                maxConnections >= 1 && maxConnections <= 10_000,
                "the most connections are " + maxConnections,
                "use 1 to 10000");
        check(maxAttempts >= 1 && maxAttempts <= 100, "the most attempts are " + maxAttempts, "use 1 to 100");
        check(isPositive(attemptTimeout), "the timeout of an attempt is " + attemptTimeout, "use more than zero");
        check(
                callTimeout.compareTo(attemptTimeout) >= 0,
                "the timeout of a call, " + callTimeout + ", is shorter than that of an attempt, " + attemptTimeout,
                "use at least as much");
        check(
                partBytes >= MIN_PART_BYTES && partBytes <= MAX_PART_BYTES,
                "parts have " + partBytes + " bytes",
                "use " + MIN_PART_BYTES + " to " + MAX_PART_BYTES);
        check(
                multipartThresholdBytes >= 1 && multipartThresholdBytes <= MAX_PART_BYTES,
                "files are uploaded in parts from " + multipartThresholdBytes + " bytes on",
                "use 1 to " + MAX_PART_BYTES);
    }

    /** Settings for a bucket, to be completed; every other value has a default. */
    public static Builder bucket(String bucket) {
        return new Builder(bucket);
    }

    private static boolean isPositive(Duration duration) {
        return !duration.isNegative() && !duration.isZero();
    }

    private static boolean isServer(URI endpoint) {
        var scheme = endpoint.getScheme() == null ? "" : endpoint.getScheme().toLowerCase(Locale.ROOT);
        return (scheme.equals("http") || scheme.equals("https"))
                && endpoint.getHost() != null
                && endpoint.getRawUserInfo() == null
                && endpoint.getRawQuery() == null
                && endpoint.getRawFragment() == null;
    }

    private static String withoutUser(@Nullable URI endpoint) {
        return String.valueOf(endpoint).replaceFirst("//[^/@]*@", "//…@");
    }

    private static void check(boolean holds, String reason, String remedy) {
        if (!holds) {
            throw new ConfigurationException("Cannot use S3 as the object store: " + reason + "; " + remedy);
        }
    }

    /** Collects settings; what is not set has the default named with it. */
    public static final class Builder {

        private final String bucket;
        private String prefix = "";
        private @Nullable String region;
        private @Nullable URI endpoint;
        private Addressing addressing = Addressing.VIRTUAL_HOST;
        private Checksums requestChecksums = Checksums.WHEN_SUPPORTED;
        private Checksums responseChecksums = Checksums.WHEN_SUPPORTED;
        private Encryption encryption = Encryption.NONE;
        private @Nullable String kmsKeyId;
        private @Nullable String storageClass;
        private int maxConnections = 64;
        private Duration callTimeout = Duration.ofSeconds(60);
        private Duration attemptTimeout = Duration.ofSeconds(20);
        private int maxAttempts = 3;
        private long multipartThresholdBytes = 32L << 20;
        private long partBytes = 16L << 20;

        private Builder(String bucket) {
            this.bucket = bucket;
        }

        /** Default: none. */
        public Builder prefix(String value) {
            prefix = value;
            return this;
        }

        /** Default: null. */
        public Builder region(@Nullable String value) {
            region = value;
            return this;
        }

        /** Default: null. */
        public Builder endpoint(@Nullable URI value) {
            endpoint = value;
            return this;
        }

        /** Default: {@link Addressing#VIRTUAL_HOST}. */
        public Builder addressing(Addressing value) {
            addressing = value;
            return this;
        }

        /** Default: {@link Checksums#WHEN_SUPPORTED} for both. */
        public Builder checksums(Checksums requests, Checksums responses) {
            requestChecksums = requests;
            responseChecksums = responses;
            return this;
        }

        /** Default: {@link Encryption#NONE}. */
        public Builder encryption(Encryption value, @Nullable String keyId) {
            encryption = value;
            kmsKeyId = keyId;
            return this;
        }

        /** Default: null. */
        public Builder storageClass(@Nullable String value) {
            storageClass = value;
            return this;
        }

        /** Default: 64. */
        public Builder maxConnections(int value) {
            maxConnections = value;
            return this;
        }

        /** Default: 60 s for a call, 20 s for an attempt. */
        public Builder timeouts(Duration call, Duration attempt) {
            callTimeout = call;
            attemptTimeout = attempt;
            return this;
        }

        /** Default: 3. */
        public Builder maxAttempts(int value) {
            maxAttempts = value;
            return this;
        }

        /** Default: parts of 16 MiB for files from 32 MiB on. */
        public Builder multipart(long fromBytes, long bytesOfPart) {
            multipartThresholdBytes = fromBytes;
            partBytes = bytesOfPart;
            return this;
        }

        /**
         * The settings.
         *
         * @throws ConfigurationException if they cannot work
         */
        public S3Settings build() {
            return new S3Settings(
                    bucket,
                    prefix,
                    region,
                    endpoint,
                    addressing,
                    requestChecksums,
                    responseChecksums,
                    encryption,
                    kmsKeyId,
                    storageClass,
                    maxConnections,
                    callTimeout,
                    attemptTimeout,
                    maxAttempts,
                    multipartThresholdBytes,
                    partBytes);
        }
    }
}
