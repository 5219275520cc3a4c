package dev.weir.state.rocks;

import dev.weir.failure.CorruptionException;
import dev.weir.failure.TransientException;
import dev.weir.failure.WeirException;
import dev.weir.topology.TaskId;
import java.nio.file.Path;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Says in one sentence what went wrong on the disk, and by its class what the caller must do. */
final class StateFailures {

    private StateFailures() {}

    /** For a failed action such as "write state". */
    static WeirException of(String action, TaskId task, Path path, Exception cause) {
        String what = "Cannot " + action + " of task " + task + ": ";
        if (isNoSpace(cause)) {
            return new TransientException(
                    what + "no space left in " + path + "; make room or give the volume a larger size", cause);
        }
        if (cause instanceof RocksDBException rocks && isCorruption(rocks)) {
            return new CorruptionException(
                    what + "files in " + path + " are damaged or missing (" + cause.getMessage()
                            + "); restore the task",
                    cause);
        }
        return new TransientException(
                what + path + " cannot be used (" + cause.getMessage() + "); check the volume, its permissions and the"
                        + " limit of open files",
                cause);
    }

    private static boolean isNoSpace(Throwable cause) {
        if (cause instanceof RocksDBException rocks
                && rocks.getStatus() != null
                && rocks.getStatus().getSubCode() == Status.SubCode.NoSpace) {
            return true;
        }
        String message = String.valueOf(cause.getMessage());
        return message.contains("No space left on device") || message.contains("Disk quota exceeded");
    }

    private static boolean isCorruption(RocksDBException cause) {
        boolean damaged = cause.getStatus() != null && cause.getStatus().getCode() == Status.Code.Corruption;
        return damaged || String.valueOf(cause.getMessage()).contains("No such file or directory");
    }
}
