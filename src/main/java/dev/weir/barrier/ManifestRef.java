package dev.weir.barrier;

/** Names a manifest and the SHA-256 (hex) of its bytes. */
public record ManifestRef(String name, String sha256) {}
