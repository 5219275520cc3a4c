package dev.weir.topology;

/** A partition of a topic. Written {@code topic-3}. */
public record TopicPartition(String topic, int partition) implements Comparable<TopicPartition> {

    /** Reads what {@link #toString()} wrote. */
    public static TopicPartition parse(String text) {
        int dash = text.lastIndexOf('-');
        return new TopicPartition(text.substring(0, dash), Integer.parseInt(text.substring(dash + 1)));
    }

    @Override
    public int compareTo(TopicPartition other) {
        int byTopic = topic.compareTo(other.topic);
        return byTopic != 0 ? byTopic : Integer.compare(partition, other.partition);
    }

    @Override
    public String toString() {
        return topic + "-" + partition;
    }
}
