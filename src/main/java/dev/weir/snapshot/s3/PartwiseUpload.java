package dev.weir.snapshot.s3;

import dev.weir.snapshot.RangeStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;

/** One file on its way to one object, part by part. When it fails, the parts that arrived are given up, so that none is paid for. */
final class PartwiseUpload {

    private static final Logger LOG = LoggerFactory.getLogger(PartwiseUpload.class);
    private static final int MAX_PARTS = 10_000;

    private final S3Client client;
    private final CreateMultipartUploadRequest request;
    private final Path file;
    private final long size;
    private final long partBytes;

    PartwiseUpload(S3Client client, CreateMultipartUploadRequest request, Path file, long size, long partBytes) {
        this.client = client;
        this.request = request;
        this.file = file;
        this.size = size;
        this.partBytes = Math.max(partBytes, Math.floorDiv(size - 1, MAX_PARTS) + 1);
    }

    /** Uploads the file. */
    void run() {
        var id = client.createMultipartUpload(request).uploadId();
        try {
            complete(id, uploadParts(id));
        } catch (RuntimeException e) {
            abort(id);
            throw e;
        }
    }

    private List<CompletedPart> uploadParts(String id) {
        var parts = new ArrayList<CompletedPart>();
        for (long offset = 0; offset < size; offset += partBytes) {
            parts.add(uploadPart(id, parts.size() + 1, offset, Math.min(partBytes, size - offset)));
        }
        return parts;
    }

    private CompletedPart uploadPart(String id, int number, long offset, long length) {
        var body = RequestBody.fromContentProvider(() -> slice(offset, length), length, "application/octet-stream");
        var uploaded = client.uploadPart(
                part -> part.bucket(request.bucket())
                        .key(request.key())
                        .uploadId(id)
                        .partNumber(number)
                        .contentLength(length),
                body);
        return CompletedPart.builder()
                .partNumber(number)
                .eTag(uploaded.eTag())
                .checksumCRC32(uploaded.checksumCRC32())
                .build();
    }

    /** A first attempt may have completed the upload although its answer was lost; then the object is there, with this size. */
    private void complete(String id, List<CompletedPart> parts) {
        try {
            client.completeMultipartUpload(upload -> upload.bucket(request.bucket())
                    .key(request.key())
                    .uploadId(id)
                    .multipartUpload(list -> list.parts(parts)));
        } catch (SdkException e) {
            if (!isComplete()) {
                throw e;
            }
        }
    }

    private boolean isComplete() {
        try {
            var present =
                    client.headObject(head -> head.bucket(request.bucket()).key(request.key()));
            return present.contentLength() == size;
        } catch (SdkException e) {
            LOG.atDebug().setCause(e).addKeyValue("object", request.key()).log("upload not seen complete");
            return false;
        }
    }

    private void abort(String id) {
        try {
            client.abortMultipartUpload(
                    upload -> upload.bucket(request.bucket()).key(request.key()).uploadId(id));
        } catch (SdkException e) {
            LOG.atWarn()
                    .setCause(e)
                    .addKeyValue("bucket", request.bucket())
                    .addKeyValue("object", request.key())
                    .addKeyValue("upload", id)
                    .log("cannot abort a multipart upload; its parts stay until unfinished uploads are swept");
        }
    }

    private InputStream slice(long offset, long length) {
        try {
            var channel = FileChannel.open(file, StandardOpenOption.READ).position(offset);
            return new RangeStream(Channels.newInputStream(channel), file.toString(), length, () -> {});
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + file + " to store it as " + request.key() + ": " + e, e);
        }
    }
}
