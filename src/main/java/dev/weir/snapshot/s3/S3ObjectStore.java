package dev.weir.snapshot.s3;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.TransientException;
import dev.weir.failure.WeirException;
import dev.weir.snapshot.ObjectNames;
import dev.weir.snapshot.ObjectRange;
import dev.weir.snapshot.ObjectStore;
import dev.weir.snapshot.RangeStream;
import dev.weir.snapshot.StoreProbe;
import dev.weir.snapshot.s3.S3Failures.Action;
import dev.weir.time.Tokens;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsRequest;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Error;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/**
 * A store in a bucket of Amazon S3, or of a server that speaks its protocol: conditional writes ({@code If-None-Match: *}),
 * listings in ascending order, multipart uploads.
 *
 * <p>When {@link #createIfAbsent} throws {@link TransientException}, its request may still take effect: the same call with the
 * same content finds out.
 */
public final class S3ObjectStore implements ObjectStore {

    private static final int DELETE_BATCH = 1000;

    private final S3Client client;
    private final S3Settings settings;
    private final S3Failures failures;
    private final String root;
    private final Tokens tokens = Tokens.secure();
    private volatile boolean bucketSeen;

    private S3ObjectStore(S3Client client, S3Settings settings) {
        this.client = client;
        this.settings = settings;
        this.failures = new S3Failures(settings);
        this.root = settings.prefix().isEmpty() ? "" : settings.prefix() + "/";
    }

    /**
     * Opens a store with the credentials of the AWS SDK's default chain: system properties, environment, web identity, profile,
     * container, instance. Talks to no server yet.
     */
    public static S3ObjectStore open(S3Settings settings) {
        return open(settings, DefaultCredentialsProvider.builder().build());
    }

    /** Opens a store with other credentials. */
    public static S3ObjectStore open(S3Settings settings, AwsCredentialsProvider credentials) {
        return new S3ObjectStore(S3Clients.create(settings, credentials), settings);
    }

    @Override
    public void put(String name, byte[] content) {
        var key = key(name);
        try {
            client.putObject(putRequest(key).build(), RequestBody.fromBytes(content));
        } catch (SdkException e) {
            throw failures.of(Action.WRITE, name, e);
        }
    }

    @Override
    public void put(String name, Path file) {
        var key = key(name);
        try {
            long size = Files.size(file);
            if (size < settings.multipartThresholdBytes()) {
                client.putObject(putRequest(key).build(), RequestBody.fromFile(file));
            } else {
                new PartwiseUpload(client, multipartRequest(key), file, size, settings.partBytes()).run();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + file + " to store it as " + name + ": " + e, e);
        } catch (SdkException e) {
            throw failures.of(Action.WRITE, name, e);
        }
    }

    @Override
    public boolean createIfAbsent(String name, byte[] content) {
        var request = putRequest(key(name)).ifNoneMatch("*").build();
        try {
            client.putObject(request, RequestBody.fromBytes(content));
            return true;
        } catch (SdkException e) {
            if (S3Failures.hasStatus(e, 501)) {
                throw new ConfigurationException(
                        "Cannot create object " + name + " in " + describe()
                                + ": the server does not implement the header If-None-Match (it answered 501);"
                                + " use a server that has conditional writes",
                        e);
            }
            var failure = failures.of(Action.WRITE, name, e);
            if (failure instanceof TransientException) {
                return decide(name, content, failure);
            }
            throw failure;
        }
    }

    /** Finds out what an unclear answer meant: the name may be taken by another writer, or by an earlier attempt of this one. */
    private boolean decide(String name, byte[] content, WeirException unclear) {
        byte @Nullable [] present;
        try {
            present = find(name);
        } catch (WeirException e) {
            e.addSuppressed(unclear);
            throw e;
        }
        if (present == null) {
            throw unclear;
        }
        return Arrays.equals(present, content);
    }

    @Override
    public byte[] get(String name) {
        var content = find(name);
        if (content == null) {
            throw ObjectRange.missing(name, describe());
        }
        return content;
    }

    private byte @Nullable [] find(String name) {
        var key = key(name);
        try {
            return client.getObjectAsBytes(get -> get.bucket(settings.bucket()).key(key))
                    .asByteArrayUnsafe();
        } catch (SdkException e) {
            if (S3Failures.isMissing(e)) {
                return null;
            }
            throw failures.of(Action.READ, name, e);
        }
    }

    @Override
    public InputStream open(String name, long offset, long length) {
        var range = new ObjectRange(offset, length);
        var key = key(name);
        if (length == 0) {
            range.requireWithin(name, describe(), size(name));
            return new ByteArrayInputStream(new byte[0]);
        }
        try {
            var stream = client.getObject(
                    get -> get.bucket(settings.bucket()).key(key).range("bytes=" + offset + "-" + (range.end() - 1)));
            long sent = stream.response().contentLength();
            if (sent < length) {
                stream.abort();
                throw range.tooShort(name, describe(), offset + sent + " bytes");
            }
            if (sent > length && offset > 0) {
                stream.abort();
                throw new ConfigurationException("Cannot read bytes " + offset + " to " + range.end() + " of object "
                        + name + ": the server sends " + sent
                        + " bytes instead of a range; use a server that has ranged reads");
            }
            return new RangeStream(stream, name, length, stream::abort);
        } catch (SdkException e) {
            if (S3Failures.isMissing(e)) {
                throw ObjectRange.missing(name, describe());
            }
            if (S3Failures.hasStatus(e, 416)) {
                throw range.tooShort(name, describe(), "at most " + offset + " bytes");
            }
            throw failures.of(Action.READ, name, e);
        }
    }

    @Override
    public boolean exists(String name) {
        return sizeOrMinusOne(name) >= 0;
    }

    private long size(String name) {
        long size = sizeOrMinusOne(name);
        if (size < 0) {
            throw ObjectRange.missing(name, describe());
        }
        return size;
    }

    private long sizeOrMinusOne(String name) {
        var key = key(name);
        try {
            return client.headObject(head -> head.bucket(settings.bucket()).key(key))
                    .contentLength();
        } catch (SdkException e) {
            if (S3Failures.isMissing(e)) {
                requireBucket();
                return -1;
            }
            throw failures.of(Action.READ, name, e);
        }
    }

    /** A HEAD request says "not found" for a missing bucket too, and nothing may take that for a missing object. */
    private void requireBucket() {
        if (bucketSeen) {
            return;
        }
        try {
            client.headBucket(head -> head.bucket(settings.bucket()));
            bucketSeen = true;
        } catch (SdkException e) {
            throw S3Failures.hasStatus(e, 404) ? failures.noBucket(e) : failures.of(Action.LIST, "", e);
        }
    }

    @Override
    public void list(String prefix, Consumer<Listed> each) {
        var request = ListObjectsV2Request.builder()
                .bucket(settings.bucket())
                .prefix(root + ObjectNames.requirePrefix(prefix))
                .build();
        var last = "";
        while (true) {
            var page = page(prefix, request);
            for (var object : page.contents()) {
                if (object.key().startsWith(request.prefix())) {
                    var name = object.key().substring(root.length());
                    requireAscending(last, name);
                    last = name;
                    if (ObjectNames.isName(name)) {
                        each.accept(new Listed(name, object.size(), object.lastModified()));
                    }
                }
            }
            if (!Boolean.TRUE.equals(page.isTruncated())) {
                return;
            }
            request = request.toBuilder()
                    .continuationToken(page.nextContinuationToken())
                    .build();
        }
    }

    private void requireAscending(String last, String name) {
        if (name.compareTo(last) < 0) {
            throw new ConfigurationException("Cannot list objects in " + describe() + ": " + name + " comes after "
                    + last + "; use a bucket that lists in ascending order (directory buckets do not)");
        }
    }

    private ListObjectsV2Response page(String prefix, ListObjectsV2Request request) {
        try {
            return client.listObjectsV2(request);
        } catch (SdkException e) {
            throw failures.of(Action.LIST, prefix, e);
        }
    }

    @Override
    public void delete(Collection<String> names) {
        names.forEach(ObjectNames::require);
        var all = List.copyOf(names);
        for (int from = 0; from < all.size(); from += DELETE_BATCH) {
            deleteBatch(all.subList(from, Math.min(all.size(), from + DELETE_BATCH)));
        }
    }

    private void deleteBatch(List<String> names) {
        var identifiers = new ArrayList<ObjectIdentifier>(names.size());
        names.forEach(name ->
                identifiers.add(ObjectIdentifier.builder().key(root + name).build()));
        try {
            var response = client.deleteObjects(delete -> delete.bucket(settings.bucket())
                    .delete(list -> list.objects(identifiers).quiet(true)));
            for (var error : response.errors()) {
                if (!"NoSuchKey".equals(error.code())) {
                    throw failures.of(Action.DELETE, String.valueOf(error.key()), exception(error));
                }
            }
        } catch (SdkException e) {
            throw failures.of(Action.DELETE, names.get(0), e);
        }
    }

    /** An error of one object in a batch has a code but no status; this gives it the one that S3 has for the code elsewhere. */
    private static SdkException exception(S3Error error) {
        int status = "AccessDenied".equals(error.code()) ? 403 : 500;
        return S3Exception.builder()
                .statusCode(status)
                .awsErrorDetails(AwsErrorDetails.builder()
                        .errorCode(error.code())
                        .errorMessage(error.message())
                        .build())
                .build();
    }

    @Override
    public void discardUnfinished(Instant begunBefore) {
        var request = ListMultipartUploadsRequest.builder()
                .bucket(settings.bucket())
                .prefix(root)
                .build();
        while (true) {
            var page = uploads(request);
            for (var upload : page.uploads()) {
                if (upload.key().startsWith(root) && upload.initiated().isBefore(begunBefore)) {
                    abort(upload);
                }
            }
            if (!Boolean.TRUE.equals(page.isTruncated())) {
                return;
            }
            request = request.toBuilder()
                    .keyMarker(page.nextKeyMarker())
                    .uploadIdMarker(page.nextUploadIdMarker())
                    .build();
        }
    }

    private ListMultipartUploadsResponse uploads(ListMultipartUploadsRequest request) {
        try {
            return client.listMultipartUploads(request);
        } catch (SdkException e) {
            throw failures.of(Action.LIST_UPLOADS, "", e);
        }
    }

    private void abort(MultipartUpload upload) {
        try {
            client.abortMultipartUpload(
                    abort -> abort.bucket(settings.bucket()).key(upload.key()).uploadId(upload.uploadId()));
        } catch (SdkException e) {
            if (!S3Failures.isMissing(e)) {
                throw failures.of(Action.ABORT, upload.key(), e);
            }
        }
    }

    @Override
    public void probe() {
        StoreProbe.run(this, tokens);
    }

    @Override
    public String describe() {
        return failures.location();
    }

    @Override
    public void close() {
        client.close();
    }

    private String key(String name) {
        return root + ObjectNames.require(name);
    }

    private PutObjectRequest.Builder putRequest(String key) {
        var request =
                PutObjectRequest.builder().bucket(settings.bucket()).key(key).storageClass(settings.storageClass());
        return switch (settings.encryption()) {
            case NONE -> request;
            case SSE_S3 -> request.serverSideEncryption(ServerSideEncryption.AES256);
            case SSE_KMS ->
                request.serverSideEncryption(ServerSideEncryption.AWS_KMS).ssekmsKeyId(settings.kmsKeyId());
        };
    }

    private CreateMultipartUploadRequest multipartRequest(String key) {
        var request = CreateMultipartUploadRequest.builder()
                .bucket(settings.bucket())
                .key(key)
                .storageClass(settings.storageClass());
        return (switch (settings.encryption()) {
                    case NONE -> request;
                    case SSE_S3 -> request.serverSideEncryption(ServerSideEncryption.AES256);
                    case SSE_KMS ->
                        request.serverSideEncryption(ServerSideEncryption.AWS_KMS)
                                .ssekmsKeyId(settings.kmsKeyId());
                })
                .build();
    }
}
