package dev.weir.archfixture.api;

import dev.weir.archfixture.topology.Pong;

public record Ping(Pong pong) {}
