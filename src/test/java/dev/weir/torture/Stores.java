package dev.weir.torture;

import dev.weir.fixture.LocalS3;
import dev.weir.snapshot.ObjectStore;
import dev.weir.snapshot.s3.S3ObjectStore;
import dev.weir.snapshot.s3.S3Settings;
import dev.weir.snapshot.s3.S3Settings.Addressing;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The object store of a domain: an S3 server, a gate to it for each worker, and a direct way for who judges. */
final class Stores implements AutoCloseable {

    static final String BUCKET = "weir";

    private final LocalS3 server;
    private final InetAddress address;
    private final ObjectStore direct;
    private final List<StoreGate> gates = new ArrayList<>();

    /** Starts it; objects are kept in the folder. Gates open at the address. */
    Stores(Path folder, InetAddress address) throws Exception {
        LocalS3.useCredentials();
        this.server = LocalS3.start(0, folder, BUCKET);
        this.address = address;
        this.direct = S3ObjectStore.open(S3Settings.bucket(BUCKET)
                .endpoint(server.endpoint())
                .addressing(Addressing.PATH)
                .build());
    }

    /** Opens another gate. */
    StoreGate gate() {
        var gate = new StoreGate(address, server.endpoint());
        gates.add(gate);
        return gate;
    }

    /** The way on which nothing fails. */
    ObjectStore direct() {
        return direct;
    }

    @Override
    public void close() throws Exception {
        gates.forEach(StoreGate::close);
        direct.close();
        server.close();
    }
}
