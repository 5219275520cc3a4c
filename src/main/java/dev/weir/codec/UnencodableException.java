package dev.weir.codec;

/** A value was kept to be encoded later and turns out to have no encoding. */
public final class UnencodableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Of a value of a state, for the reason that its codec gave. */
    public UnencodableException(RuntimeException cause) {
        super("Cannot encode a value of state: " + cause.getMessage(), cause);
    }
}
