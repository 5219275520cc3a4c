package dev.weir.coordinator;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** Writes notices to the log and hands those about checkpoints to the listener. */
final class Announcer {

    private static final Logger log = LoggerFactory.getLogger(Coordinator.class);

    private final String domain;
    private final CheckpointListener listener;
    /** What is failing again and again is a warning once, until something else is told. */
    private @Nullable String retrying;

    Announcer(String domain, CheckpointListener listener) {
        this.domain = domain;
        this.listener = listener;
    }

    void tell(Notice notice) {
        if (notice instanceof Notice.Retrying again) {
            var level = again.what().equals(retrying) ? log.atDebug() : log.atWarn();
            retrying = again.what();
            with(level)
                    .addKeyValue("what", again.what())
                    .addKeyValue("reason", again.reason())
                    .log("Coordination step failed, will be tried again");
            return;
        }
        retrying = null;
        if (notice instanceof Notice.Started started) {
            with(log.atDebug())
                    .addKeyValue("checkpoint", started.checkpoint())
                    .addKeyValue("tasks", started.tasks())
                    .addKeyValue("partitions", started.partitions())
                    .log("Checkpoint started");
            listener.started(started.checkpoint());
        } else if (notice instanceof Notice.Completed completed) {
            with(log.atInfo())
                    .addKeyValue("checkpoint", completed.checkpoint())
                    .addKeyValue("duration_ms", completed.durationMillis())
                    .addKeyValue("tasks", completed.tasks())
                    .addKeyValue("markers", completed.markers())
                    .log("Checkpoint completed");
            listener.completed(completed.checkpoint(), Duration.ofMillis(completed.durationMillis()));
        } else if (notice instanceof Notice.Abandoned abandoned) {
            with(log.atWarn())
                    .addKeyValue("checkpoint", abandoned.checkpoint())
                    .addKeyValue("duration_ms", abandoned.durationMillis())
                    .addKeyValue("tasks", abandoned.tasks())
                    .addKeyValue("acknowledged", abandoned.acknowledged())
                    .addKeyValue("reason", abandoned.reason())
                    .log("Checkpoint abandoned");
            listener.abandoned(
                    abandoned.checkpoint(), Duration.ofMillis(abandoned.durationMillis()), abandoned.reason());
        } else {
            tellOfTheRest(notice);
        }
    }

    private void tellOfTheRest(Notice notice) {
        if (notice instanceof Notice.Leading leading) {
            with(log.atInfo())
                    .addKeyValue("open_checkpoints", leading.openCheckpoints())
                    .log("Leading the coordination");
        } else if (notice instanceof Notice.SteppedDown) {
            with(log.atInfo()).log("Not leading the coordination any more");
        } else if (notice instanceof Notice.Interrupted interrupted) {
            with(log.atWarn())
                    .addKeyValue("reason", interrupted.reason())
                    .log("Leading interrupted, will begin anew from the control topic");
        } else if (notice instanceof Notice.Inconsistent inconsistent) {
            with(log.atError())
                    .addKeyValue("checkpoint", inconsistent.checkpoint())
                    .addKeyValue("findings", inconsistent.findings())
                    .log("Checkpoint is not a consistent cut, which must never happen");
        } else if (notice instanceof Notice.IdTaken taken) {
            with(log.atError())
                    .addKeyValue("checkpoint", taken.checkpoint())
                    .log("The object store holds another checkpoint of the same id; was the control topic deleted?");
        } else if (notice instanceof Notice.SourcesMissing missing) {
            with(log.atError())
                    .addKeyValue("topics", missing.topics())
                    .log("No checkpoint can be started while source topics are missing");
        } else if (notice instanceof Notice.SourceChanged changed) {
            with(log.atError())
                    .addKeyValue("topic", changed.topic())
                    .addKeyValue("before", changed.before())
                    .addKeyValue("now", changed.now())
                    .log("The number of partitions of a source topic has changed");
        } else if (notice instanceof Notice.SlotFenced fenced) {
            with(log.atInfo()).addKeyValue("slot", fenced.slot()).log("Dead slot fenced");
        }
    }

    private LoggingEventBuilder with(LoggingEventBuilder event) {
        return event.addKeyValue("domain", domain);
    }
}
