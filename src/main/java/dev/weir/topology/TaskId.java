package dev.weir.topology;

/** A task: one processor's share of the work for one partition number. Written {@code processor/3}. */
public record TaskId(String processor, int partition) implements Comparable<TaskId> {

    /** Reads what {@link #toString()} wrote. */
    public static TaskId parse(String text) {
        int slash = text.lastIndexOf('/');
        return new TaskId(text.substring(0, slash), Integer.parseInt(text.substring(slash + 1)));
    }

    @Override
    public int compareTo(TaskId other) {
        int byProcessor = processor.compareTo(other.processor);
        return byProcessor != 0 ? byProcessor : Integer.compare(partition, other.partition);
    }

    @Override
    public String toString() {
        return processor + "/" + partition;
    }
}
