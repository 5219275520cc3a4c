package dev.weir.snapshot;

import dev.weir.failure.ConfigurationException;
import java.util.OptionalLong;

/**
 * The names of a domain's objects, relative to the store's root. Epochs and checkpoint ids are padded, so that names sort by them.
 *
 * <pre>
 * domain/objects/9f/9f86…-token          immutable: base files, deltas
 * domain/manifests/slot/000…42-token.json  one for a slot and epoch
 * domain/checkpoints/000…17.json           decided once
 * </pre>
 */
public final class StoreLayout {

    /** Digits of an epoch or an id in a name. */
    private static final int DIGITS = 20;

    private static final String JSON = ".json";

    private final String domain;

    /**
     * The layout of a domain.
     *
     * @throws ConfigurationException if the domain's name cannot be part of an object's name
     */
    public StoreLayout(String domain) {
        this.domain = part("domain", domain);
    }

    /** An immutable object; the token is the writer's and new for each write. */
    public String object(String sha256, String token) {
        return objects() + sha256.substring(0, 2) + "/" + sha256 + "-" + token;
    }

    /** What the names of all immutable objects begin with. */
    public String objects() {
        return domain + "/objects/";
    }

    /** A slot's manifest. */
    public String manifest(String slot, long slotEpoch, String token) {
        return manifests() + part("slot", slot) + "/" + padded(slotEpoch) + "-" + token + JSON;
    }

    /** What the names of all manifests begin with. */
    public String manifests() {
        return domain + "/manifests/";
    }

    /** What is decided about a checkpoint. */
    public String checkpoint(long id) {
        return checkpoints() + padded(id) + JSON;
    }

    /** What the names of all checkpoints begin with. */
    public String checkpoints() {
        return domain + "/checkpoints/";
    }

    /** The id in the name of a checkpoint; empty for any other name. */
    public OptionalLong checkpointId(String name) {
        int start = checkpoints().length();
        if (!name.startsWith(checkpoints()) || name.length() != start + DIGITS + JSON.length()) {
            return OptionalLong.empty();
        }
        var digits = name.substring(start, start + DIGITS);
        try {
            long id = Long.parseLong(digits);
            return checkpoint(id).equals(name) ? OptionalLong.of(id) : OptionalLong.empty();
        } catch (NumberFormatException notAnId) {
            return OptionalLong.empty();
        }
    }

    private static String part(String what, String name) {
        if (!SnapshotRules.isFileName(name)) {
            throw new ConfigurationException(
                    "Cannot name a " + what + " \"" + name + "\" in the object store: use 1 to "
                            + ObjectNames.MAX_PART_LENGTH + " characters of [a-z0-9A-Z._=-]");
        }
        return name;
    }

    private static String padded(long number) {
        if (number < 0) {
            throw new IllegalArgumentException("Cannot name an object by " + number + ": it is negative");
        }
        var digits = Long.toString(number);
        return "0".repeat(DIGITS - digits.length()) + digits;
    }
}
