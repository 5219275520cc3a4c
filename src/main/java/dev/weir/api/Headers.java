package dev.weir.api;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An immutable list of headers. Names may repeat; a header with a null value is not the same as an absent one. */
public final class Headers implements Iterable<Headers.Header> {

    private static final Headers NONE = new Headers(List.of());

    private final List<Header> list;

    private Headers(List<Header> list) {
        this.list = list;
    }

    /** No headers. */
    public static Headers none() {
        return NONE;
    }

    /** These headers, in this order. */
    public static Headers of(List<Header> headers) {
        return headers.isEmpty() ? NONE : new Headers(List.copyOf(headers));
    }

    /** These headers and one more at the end. */
    public Headers with(String name, byte @Nullable [] value) {
        var more = new ArrayList<>(list);
        more.add(new Header(name, value));
        return new Headers(List.copyOf(more));
    }

    /** These headers and one more at the end, its value in UTF-8. */
    public Headers with(String name, String value) {
        return with(name, value.getBytes(StandardCharsets.UTF_8));
    }

    /** The last header of this name, or null if there is none. */
    public @Nullable Header last(String name) {
        for (int i = list.size() - 1; i >= 0; i--) {
            if (list.get(i).name().equals(name)) {
                return list.get(i);
            }
        }
        return null;
    }

    /** Whether there are no headers. */
    public boolean isEmpty() {
        return list.isEmpty();
    }

    /** How many headers there are. */
    public int size() {
        return list.size();
    }

    @Override
    public Iterator<Header> iterator() {
        return list.iterator();
    }

    @Override
    public String toString() {
        return list.toString();
    }

    /** One header. The value is not copied: it must not be changed. */
    public record Header(String name, byte @Nullable [] value) {

        /** The value as UTF-8 text, or null. */
        public @Nullable String text() {
            return value == null ? null : new String(value, StandardCharsets.UTF_8);
        }

        @Override
        public String toString() {
            return name + (value == null ? "=null" : "[" + value.length + " bytes]");
        }
    }
}
