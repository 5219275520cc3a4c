package dev.weir.archfixture.topology;

import dev.weir.archfixture.api.Ping;

public interface Pong {

    Ping back();
}
