package dev.weir.torture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the brokers' proxies and the object store listen. With a side of its own for a worker, it is an address that this worker reaches
 * by a cable, and all others too; else it is the loopback.
 */
final class Site implements AutoCloseable {

    /** Which packets are lost. */
    enum Cut {
        /** All. */
        BOTH_WAYS,
        /** What is sent to the worker. */
        TO_WORKER,
        /** What the worker sends. */
        FROM_WORKER
    }

    private static final String NEAR = "10.231.77.1";
    private static final String FAR = "10.231.77.2";

    private final String name = "weir" + ProcessHandle.current().pid();
    private final @Nullable String refused;

    private Site(@Nullable String refused) {
        this.refused = refused;
    }

    /** One without a side for a worker. */
    static Site loopback() {
        return new Site("not asked for");
    }

    /** One with a side for a worker, if the machine lets us make it. */
    static Site divided() {
        var trial = new Site(null);
        var refused = trial.build();
        if (refused.isPresent()) {
            trial.close();
        }
        return refused.isPresent() ? new Site(refused.get()) : trial;
    }

    private Optional<String> build() {
        var steps = List.of(
                "ip netns add " + name,
                "ip link add " + name + "a type veth peer name " + name + "b",
                "ip link set " + name + "b netns " + name,
                "ip addr add " + NEAR + "/30 dev " + name + "a",
                "ip link set " + name + "a up",
                inside("ip addr add " + FAR + "/30 dev " + name + "b"),
                inside("ip link set " + name + "b up"),
                inside("ip link set lo up"),
                inside("iptables -L -n"));
        return steps.stream()
                .map(step -> Machine.run(words(step)))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private String inside(String command) {
        return "ip netns exec " + name + " " + command;
    }

    private static List<String> words(String command) {
        return Arrays.asList(command.split(" "));
    }

    /** Why there is no side for a worker; empty if there is one. */
    Optional<String> refused() {
        return Optional.ofNullable(refused);
    }

    InetAddress address() {
        try {
            return refused == null ? InetAddress.getByName(NEAR) : InetAddress.getLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A command before a command that runs it at the worker's side. */
    List<String> atWorkersSide() {
        return words(inside("").strip());
    }

    /** Loses packets, without a word to anybody, until {@link #mend}. */
    void cut(Cut how) {
        if (how != Cut.FROM_WORKER) {
            require("iptables -I INPUT -s " + NEAR + " -j DROP");
        }
        if (how != Cut.TO_WORKER) {
            require("iptables -I OUTPUT -d " + NEAR + " -j DROP");
        }
    }

    /** Ends it; how many packets were lost. */
    long mend() {
        long lost = 0;
        for (var chain : List.of("INPUT", "OUTPUT")) {
            lost += lost(chain);
            require("iptables -F " + chain);
        }
        return lost;
    }

    private long lost(String chain) {
        var said = new ArrayList<String>();
        try {
            var process = new ProcessBuilder(words(inside("iptables -L " + chain + " -v -n -x")))
                    .redirectErrorStream(true)
                    .start();
            try (var lines = process.inputReader()) {
                lines.lines().forEach(said::add);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return said.stream()
                .filter(line -> line.contains("DROP") && line.contains(NEAR))
                .mapToLong(line -> Long.parseLong(line.strip().split(" +")[0]))
                .sum();
    }

    private void require(String command) {
        Machine.run(words(inside(command))).ifPresent(why -> {
            throw new IllegalStateException(why);
        });
    }

    @Override
    public void close() {
        if (refused == null) {
            Machine.run(words("ip netns del " + name));
            Machine.run(words("ip link del " + name + "a"));
        }
    }
}
