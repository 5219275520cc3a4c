package dev.weir.api;

/** A named, typed piece of a processor's keyed state; usually a constant of the processor's class. */
public sealed interface StateDescriptor permits ValueState, MapState {

    /** The state's name, unique in its processor. Letters, digits, {@code -} and {@code _}, at most 60. */
    String name();
}
