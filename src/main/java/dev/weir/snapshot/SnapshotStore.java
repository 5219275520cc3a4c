package dev.weir.snapshot;

import dev.weir.barrier.ManifestRef;
import dev.weir.failure.CorruptionException;
import dev.weir.failure.TransientException;
import dev.weir.snapshot.Manifest.Range;
import dev.weir.time.Tokens;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A domain's snapshots in an object store. What is read is proven by its SHA-256 and length, or refused. Safe for use by several
 * threads; failures are those of {@link ObjectStore}.
 */
public final class SnapshotStore {

    private static final int PAGE = 64;

    private static final int LARGEST_ARRAY = Integer.MAX_VALUE - 8;

    private final ObjectStore objects;
    private final String domain;
    private final StoreLayout layout;
    private final Tokens tokens;

    /**
     * The snapshots of a domain.
     *
     * @throws dev.weir.failure.ConfigurationException if the domain's name cannot be part of an object's name
     */
    public SnapshotStore(ObjectStore objects, String domain, Tokens tokens) {
        this.objects = objects;
        this.domain = domain;
        this.layout = new StoreLayout(domain);
        this.tokens = tokens;
    }

    /** An object that was written. */
    public record StoredObject(String name, long length, String sha256) {

        /** All of it. */
        public Range whole() {
            return new Range(name, 0, length, sha256);
        }

        /** A part of it that has a digest of its own. */
        public Range section(long offset, long sectionLength, String sectionSha256) {
            if (offset < 0 || sectionLength < 0 || offset > length - sectionLength) {
                throw new IllegalArgumentException("Cannot take " + sectionLength + " bytes from offset " + offset
                        + " of object " + name + ": it has " + length);
            }
            return new Range(name, offset, sectionLength, sectionSha256);
        }
    }

    /** How names are made. */
    public StoreLayout layout() {
        return layout;
    }

    /** Writes an immutable object and refers to all of it. */
    public Range putObject(byte[] content) {
        return put(content).whole();
    }

    /** Writes an immutable object of which the caller refers to sections. */
    public StoredObject put(byte[] content) {
        var sha256 = Sha256.of(content);
        var name = layout.object(sha256, tokens.next());
        objects.put(name, content);
        return new StoredObject(name, content.length, sha256);
    }

    /** Writes a file, of which length and digest are known, as an immutable object. */
    StoredObject put(Path file, long length, String sha256) {
        var name = layout.object(sha256, tokens.next());
        objects.put(name, file);
        return new StoredObject(name, length, sha256);
    }

    /** The bytes of a range, proven. */
    public byte[] read(Range range) {
        if (range.length() > LARGEST_ARRAY) {
            throw new IllegalArgumentException("Cannot read " + range.length() + " bytes of object " + range.object()
                    + " at once: they do not fit into an array");
        }
        try (var in = open(range)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The bytes of a range as a stream, which are proven only when it has been read to its end. Its failures are those of the store,
     * never an {@link IOException}.
     */
    InputStream open(Range range) {
        try {
            var in = range.length() == 0
                    ? InputStream.nullInputStream()
                    : objects.open(range.object(), range.offset(), range.length());
            return Sha256.verifying(new StoreStream(in, range), range.object(), range.length(), range.sha256());
        } catch (IOException e) {
            throw unreadable(range, e);
        }
    }

    private TransientException unreadable(Range range, IOException cause) {
        return new TransientException(
                "Cannot read " + range.length() + " bytes from offset " + range.offset() + " of object "
                        + range.object() + " in " + objects.describe() + ": " + cause + "; try again",
                cause);
    }

    /** Tells failures of the store from those of whatever its bytes are written to. */
    private final class StoreStream extends FilterInputStream {

        private final Range range;

        StoreStream(InputStream in, Range range) {
            super(in);
            this.range = range;
        }

        @Override
        public int read() {
            try {
                return in.read();
            } catch (IOException e) {
                throw unreadable(range, e);
            }
        }

        @Override
        public int read(byte[] target, int offset, int wanted) {
            try {
                return in.read(target, offset, wanted);
            } catch (IOException e) {
                throw unreadable(range, e);
            }
        }

        @Override
        public void close() {
            try {
                in.close();
            } catch (IOException e) {
                throw unreadable(range, e);
            }
        }
    }

    /** Writes a manifest under a name of its own. */
    public ManifestRef writeManifest(Manifest manifest) {
        requireOwn(manifest.domain());
        var content = ManifestCodec.encode(manifest);
        var name = layout.manifest(manifest.slot(), manifest.slotEpoch(), tokens.next());
        objects.put(name, content);
        return new ManifestRef(name, Sha256.of(content));
    }

    /**
     * Reads a manifest.
     *
     * @throws CorruptionException if it is missing, not what its hash says, or another domain's
     */
    public Manifest readManifest(ManifestRef ref) {
        var manifest = ManifestCodec.decodeManifest(ref.name(), proven(ref));
        requireDomain(ref.name(), manifest.domain());
        return manifest;
    }

    /** Reads several manifests, each once. */
    public Map<ManifestRef, Manifest> readManifests(Collection<ManifestRef> refs) {
        var manifests = new LinkedHashMap<ManifestRef, Manifest>();
        new LinkedHashSet<>(refs).forEach(ref -> manifests.put(ref, readManifest(ref)));
        return Collections.unmodifiableMap(manifests);
    }

    /**
     * Decides about a checkpoint unless that has been done. To be called again with the same value when it failed with a {@link
     * TransientException}, since the decision may have been taken.
     *
     * @param mine {@code decidedBy} must be unique for each attempt
     * @return what is decided: {@code mine}, or what another decided before
     */
    public CheckpointManifest decide(CheckpointManifest mine) {
        requireOwn(mine.domain());
        var name = layout.checkpoint(mine.checkpoint());
        return objects.createIfAbsent(name, ManifestCodec.encode(mine))
                ? mine
                : decodeCheckpoint(name, mine.checkpoint(), objects.get(name));
    }

    /** What is decided about a checkpoint; empty if nothing is. */
    public Optional<CheckpointManifest> readCheckpoint(long id) {
        var name = layout.checkpoint(id);
        return objects.exists(name) ? Optional.of(decodeCheckpoint(name, id, objects.get(name))) : Optional.empty();
    }

    /**
     * Names what is decided about a checkpoint and the hash of it.
     *
     * @throws CorruptionException if nothing is decided
     */
    public ManifestRef checkpointRef(long id) {
        var name = layout.checkpoint(id);
        return new ManifestRef(name, Sha256.of(objects.get(name)));
    }

    /** The newest complete checkpoint in the store. */
    public Optional<CheckpointManifest> newestComplete() {
        var page = newestCheckpoints(Long.MAX_VALUE, PAGE);
        while (!page.isEmpty()) {
            for (long id : page) {
                var found = readCheckpoint(id)
                        .filter(checkpoint -> checkpoint.outcome() == CheckpointManifest.Outcome.COMPLETE);
                if (found.isPresent()) {
                    return found;
                }
            }
            page = newestCheckpoints(page.get(page.size() - 1), PAGE);
        }
        return Optional.empty();
    }

    /** Ids of the newest decided checkpoints below a bound, the newest first. */
    public List<Long> newestCheckpoints(long below, int atMost) {
        var newest = new ArrayDeque<Long>();
        objects.list(layout.checkpoints(), listed -> {
            var id = layout.checkpointId(listed.name());
            if (id.isPresent() && id.getAsLong() < below) {
                newest.addFirst(id.getAsLong());
                if (newest.size() > atMost) {
                    newest.removeLast();
                }
            }
        });
        return List.copyOf(newest);
    }

    /** Names of objects that a manifest refers to and that are not in the store; one request for each object. */
    public List<String> missingObjects(Manifest manifest) {
        var names = new LinkedHashSet<String>();
        for (var task : manifest.tasks()) {
            if (task.base() != null) {
                task.base().files().forEach(file -> names.add(file.content().object()));
            }
            task.deltas().forEach(delta -> names.add(delta.content().object()));
        }
        var missing = new ArrayList<>(names);
        missing.removeIf(objects::exists);
        return missing;
    }

    private byte[] proven(ManifestRef ref) {
        if (!ObjectNames.isName(ref.name())) {
            throw new CorruptionException("Cannot read a manifest of " + objects.describe()
                    + ": what refers to it does not hold an object's name; restore from another checkpoint");
        }
        var content = objects.get(ref.name());
        var actual = Sha256.of(content);
        if (!actual.equals(ref.sha256())) {
            throw new CorruptionException("Cannot read manifest " + ref.name() + ": its SHA-256 is " + actual
                    + ", expected " + ref.sha256() + "; restore from another checkpoint or from a copy of the store");
        }
        return content;
    }

    private CheckpointManifest decodeCheckpoint(String name, long id, byte[] content) {
        var checkpoint = ManifestCodec.decodeCheckpoint(name, content);
        requireDomain(name, checkpoint.domain());
        if (checkpoint.checkpoint() != id) {
            throw JsonFields.malformed(
                    "checkpoint manifest " + name, "it is about checkpoint " + checkpoint.checkpoint());
        }
        return checkpoint;
    }

    private void requireOwn(String ofDomain) {
        if (!ofDomain.equals(domain)) {
            throw new IllegalArgumentException(
                    "Cannot write a manifest of domain " + ofDomain + ": these are the snapshots of " + domain);
        }
    }

    private void requireDomain(String name, String ofDomain) {
        if (!ofDomain.equals(domain)) {
            throw JsonFields.malformed("manifest " + name, "it is of domain " + ofDomain + ", not of " + domain);
        }
    }
}
