package dev.weir.snapshot;

import dev.weir.barrier.ManifestRef;
import dev.weir.failure.StoppedException;
import java.util.Base64;
import java.util.HexFormat;

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
    public static final int MAX_SLOT_LENGTH = 100;

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
            throw new StoppedException("Cannot read the pointer '" + metadata
                    + "': it is not of a format that this version writes; use a version of Weir that knows it, or delete the group's"
                    + " offsets to start anew");
        }
        try {
            var slot = fields[3];
            var name = domain + "/manifests/" + slot + "/" + fields[4];
            var sha256 = HexFormat.of().formatHex(Base64.getUrlDecoder().decode(fields[5]));
            return new Pointer(
                    Long.parseLong(fields[1], 36), Long.parseLong(fields[2], 36), slot, new ManifestRef(name, sha256));
        } catch (IllegalArgumentException e) {
            throw new StoppedException("Cannot read the pointer '" + metadata + "': " + e.getMessage(), e);
        }
    }
}
