package dev.weir.snapshot;

import dev.weir.failure.CorruptionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The fields of a JSON object that was read; whatever is not as expected is refused with the field's path. */
final class JsonFields {

    private final String source;
    private final String path;
    private final JsonNode object;

    private JsonFields(String source, String path, @Nullable JsonNode object) {
        this.source = source;
        this.path = path;
        if (object == null || !object.isObject()) {
            throw malformed(source, path.isEmpty() ? "it is not a JSON object" : path + " is not an object");
        }
        this.object = object;
    }

    /** The fields of a whole document; {@code source} names it in messages. */
    static JsonFields of(String source, @Nullable JsonNode document) {
        return new JsonFields(source, "", document);
    }

    static CorruptionException malformed(String source, String reason) {
        return new CorruptionException(
                "Cannot read " + source + ": " + reason
                        + "; it is damaged or was not written by Weir, restore from another checkpoint or from a copy of the store");
    }

    long number(String field) {
        var value = object.get(field);
        if (value == null || !value.isIntegralNumber() || !value.canConvertToLong()) {
            throw refuse(field, "a whole number");
        }
        return value.longValue();
    }

    long number(String field, LongPredicate valid, String expected) {
        long value = number(field);
        if (!valid.test(value)) {
            throw refuse(field, expected);
        }
        return value;
    }

    boolean flag(String field) {
        var value = object.get(field);
        if (value == null || !value.isBoolean()) {
            throw refuse(field, "true or false");
        }
        return value.booleanValue();
    }

    String text(String field) {
        var value = object.get(field);
        if (value == null || !value.isString()) {
            throw refuse(field, "a string");
        }
        return value.stringValue();
    }

    String text(String field, Predicate<String> valid, String expected) {
        var value = text(field);
        if (!valid.test(value)) {
            throw refuse(field, expected);
        }
        return value;
    }

    @Nullable
    String textOrNull(String field) {
        return isNull(field) ? null : text(field);
    }

    /** A text that a parser understands. */
    <T> T parsed(String field, Function<String, T> parser, String expected) {
        return parse(parser, text(field)).orElseThrow(() -> refuse(field, expected));
    }

    JsonFields fields(String field) {
        return new JsonFields(source, at(field), object.get(field));
    }

    <T> @Nullable T objectOrNull(String field, Function<JsonFields, T> reader) {
        return isNull(field) ? null : reader.apply(fields(field));
    }

    <T> List<T> list(String field, Function<JsonFields, T> reader) {
        var array = object.get(field);
        if (array == null || !array.isArray()) {
            throw refuse(field, "a list");
        }
        var list = new ArrayList<T>(array.size());
        for (int i = 0; i < array.size(); i++) {
            list.add(reader.apply(new JsonFields(source, at(field) + "[" + i + "]", array.get(i))));
        }
        return List.copyOf(list);
    }

    /** An object as a map; {@code reader} is given the fields of the object and the name of one. */
    <K extends Comparable<K>, V> Map<K, V> map(
            String field, Function<String, K> parser, BiFunction<JsonFields, String, V> reader) {
        var entries = fields(field);
        var map = new TreeMap<K, V>();
        for (var entry : entries.object.properties()) {
            var name = entry.getKey();
            var key = parse(parser, name).orElseThrow(() -> entries.refuse(name, "a name of the expected form"));
            map.put(key, reader.apply(entries, name));
        }
        return Map.copyOf(map);
    }

    private boolean isNull(String field) {
        var value = object.get(field);
        return value == null || value.isNull();
    }

    private static <T> Optional<T> parse(Function<String, T> parser, String text) {
        try {
            return Optional.of(parser.apply(text));
        } catch (IllegalArgumentException | IndexOutOfBoundsException notOfThatForm) {
            return Optional.empty();
        }
    }

    private CorruptionException refuse(String field, String expected) {
        return malformed(source, "its field " + at(field) + " is not " + expected);
    }

    private String at(String field) {
        return path.isEmpty() ? field : path + "." + field;
    }
}
