package dev.weir.kafka;

import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;

/** The client's own description of a membership, which it sends along with positions. */
record ClientGroupMember(ConsumerGroupMetadata metadata) implements GroupMember {

    @Override
    public int generation() {
        return metadata.memberId().isEmpty() ? -1 : metadata.generationId();
    }
}
