package dev.weir.benchmark.workload;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the form {@code name=value}, of the driver and of workers.
 *
 * @param values by name, in the order in which they were given
 */
public record Settings(Map<String, String> values) {

    /** Of such texts; a later one of the same name wins. */
    public static Settings of(List<String> texts) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String text : texts) {
            int equals = text.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("Cannot read the argument '" + text + "': it must be name=value");
            }
            values.put(text.substring(0, equals), text.substring(equals + 1));
        }
        return new Settings(values);
    }

    /** Of the arguments of a main method. */
    public static Settings of(String[] arguments) {
        return of(List.of(arguments));
    }

    /** The value of a setting that must be there. */
    public String get(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("Cannot go on without the argument " + name + "=…");
        }
        return value;
    }

    /** The value of a setting, or another. */
    public String get(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    /** A whole number; underscores in it are for the eye. */
    public int number(String name, int otherwise) {
        @Nullable String value = values.get(name);
        return value == null ? otherwise : Integer.parseInt(value.replace("_", ""));
    }

    /** A choice of words, with commas between. */
    public List<String> list(String name, String otherwise) {
        return List.of(get(name, otherwise).split(","));
    }

    /** Whether it is set to true. */
    public boolean is(String name) {
        return Boolean.parseBoolean(get(name, "false"));
    }

    /** These, and others that win over them. */
    public Settings with(String... more) {
        Map<String, String> all = new LinkedHashMap<>(values);
        all.putAll(of(more).values);
        return new Settings(all);
    }

    /** The values of all settings whose names begin so, by the rest of their names. */
    public Map<String, String> below(String prefix) {
        Map<String, String> found = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            if (name.startsWith(prefix)) {
                found.put(name.substring(prefix.length()), value);
            }
        });
        return found;
    }

    /** As arguments of a main method. */
    public List<String> arguments() {
        return values.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .toList();
    }
}
