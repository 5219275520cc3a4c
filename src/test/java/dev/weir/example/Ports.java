package dev.weir.example;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Finds free ports on loopback. */
final class Ports {

    private Ports() {}

    static int free() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
