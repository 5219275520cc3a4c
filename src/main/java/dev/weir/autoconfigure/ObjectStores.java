package dev.weir.autoconfigure;

import dev.weir.autoconfigure.WeirProperties.S3;
import dev.weir.autoconfigure.WeirProperties.Store;
import dev.weir.failure.ConfigurationException;
import dev.weir.snapshot.FileSystemObjectStore;
import dev.weir.snapshot.InMemoryObjectStore;
import dev.weir.snapshot.ObjectStore;
import dev.weir.snapshot.s3.S3ObjectStore;
import dev.weir.snapshot.s3.S3Settings;
import dev.weir.snapshot.s3.S3Settings.Addressing;
import dev.weir.snapshot.s3.S3Settings.Checksums;
import dev.weir.time.Clock;
import java.nio.file.Path;

/** Opens the object store that is configured. */
final class ObjectStores {

    private ObjectStores() {}

    static ObjectStore open(Store store, Clock clock) {
        if (store.type() == null) {
            throw new ConfigurationException("Cannot open the object store: weir.store.type is not set; set it");
        }
        return switch (store.type()) {
            case MEMORY -> new InMemoryObjectStore(clock);
            case FILE -> FileSystemObjectStore.open(folder(store));
            case S3 -> S3ObjectStore.open(settings(store.s3()));
        };
    }

    private static Path folder(Store store) {
        if (store.path() == null) {
            throw new ConfigurationException(
                    "Cannot open the object store: weir.store.path is not set; set it to a folder");
        }
        return store.path();
    }

    static S3Settings settings(S3 s3) {
        Checksums checksums =
                s3.checksums() == S3.Checksums.WHEN_REQUIRED ? Checksums.WHEN_REQUIRED : Checksums.WHEN_SUPPORTED;
        return S3Settings.bucket(s3.bucket() == null ? "" : s3.bucket())
                .prefix(s3.prefix())
                .region(s3.region())
                .endpoint(s3.endpoint())
                .addressing(s3.pathStyle() ? Addressing.PATH : Addressing.VIRTUAL_HOST)
                .checksums(checksums, checksums)
                .maxConnections(s3.maxConnections())
                .timeouts(s3.callTimeout(), s3.attemptTimeout())
                .build();
    }
}
