package dev.weir.snapshot;

import dev.weir.barrier.ManifestRef;
import dev.weir.failure.StoppedException;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What the metadata of a committed position says of a task's durable state. At most 200 characters of ASCII.
 *
 * @param epoch the task's epoch
 * @param incarnation the domain's incarnation
 * @param slot who committed it
 * @param manifest the manifest that tells the task's whole state
 */
public record Pointer(long epoch, long incarnation, String slot, ManifestRef manifest) {

    /** The longest slot name whose pointers fit. */
    public static final int MAX_SLOT_LENGTH = 83;

    private static final String FORMAT = "1";
    private static final int FIELDS = 6;

    /** As it stands in the metadata. */
    public String encode() {
        var file = manifest.name().substring(manifest.name().lastIndexOf('/') + 1);
        var hash = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(HexFormat.of().parseHex(manifest.sha256()));
        return String.join(" ", FORMAT, Long.toString(epoch, 36), Long.toString(incarnation, 36), slot, file, hash);
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws StoppedException if the metadata is something else
     */
    public static Pointer decode(String domain, String metadata) {
        var fields = metadata.split(" ", -1);
        if (fields.length != FIELDS || !fields[0].equals(FORMAT)) {
            throw unreadable(metadata, "it is not of a format that this version writes", null);
        }
        try {
            var pointer = new Pointer(
                    Long.parseLong(fields[1], 36),
                    Long.parseLong(fields[2], 36),
                    fields[3],
                    new ManifestRef(
                            domain + "/manifests/" + fields[3] + "/" + fields[4],
                            HexFormat.of().formatHex(Base64.getUrlDecoder().decode(fields[5]))));
            boolean sound = SnapshotRules.isFileName(fields[3])
                    && SnapshotRules.isFileName(fields[4])
                    && SnapshotRules.isDigest(pointer.manifest.sha256())
                    && pointer.encode().equals(metadata);
            if (!sound) {
                throw unreadable(metadata, "it is damaged", null);
            }
            return pointer;
        } catch (IllegalArgumentException e) {
            throw unreadable(metadata, "it is damaged", e);
        }
    }

    private static StoppedException unreadable(String metadata, String why, @Nullable Throwable cause) {
        return new StoppedException(
                "Cannot read the pointer '" + metadata + "': " + why
                        + "; use a version of Weir that wrote it, or delete the group's offsets to start anew",
                cause);
    }
}
