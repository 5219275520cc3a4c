package dev.weir.kafka;

/** A source's membership in its group at one moment, to be committed with. */
public interface GroupMember {

    /** The generation; negative if it is no member now, and then nothing may be committed. */
    int generation();
}
