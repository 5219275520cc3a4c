package dev.weir.state;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.CorruptionException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The states that a task has had so far, and the number that stands for each in its storage keys. Numbers are never given twice. */
public final class StateSchema {

    private static final StateSchema EMPTY = new StateSchema(Map.of());

    private final Map<String, Entry> byName;

    private StateSchema(Map<String, Entry> byName) {
        this.byName = byName;
    }

    /** What a state is. */
    public enum Kind {
        /** One value for each key. */
        VALUE("value"),
        /** A map for each key. */
        MAP("map");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** How the kind is written in stored schemas. */
        public String text() {
            return text;
        }

        /**
         * Reads what {@link #text()} wrote.
         *
         * @throws CorruptionException if it is something else
         */
        public static Kind parse(String text) {
            for (Kind kind : values()) {
                if (kind.text.equals(text)) {
                    return kind;
                }
            }
            throw new CorruptionException("Cannot read a state schema: kind '" + text
                    + "' is unknown; use a version of Weir at least as new as the one that wrote it");
        }
    }

    /**
     * One state.
     *
     * @param name its name, unique in its processor
     * @param number stands for the name in storage keys
     * @param kind what it is
     * @param type a description of its types, to be compared
     */
    public record Entry(String name, int number, Kind kind, String type) {}

    /** The schema of a task that has had no state yet. */
    public static StateSchema empty() {
        return EMPTY;
    }

    /**
     * The schema that {@link #entries()} came from.
     *
     * @throws CorruptionException if a name or number stands there twice or a number cannot be
     */
    public static StateSchema of(List<Entry> entries) {
        Map<String, Entry> byName = new LinkedHashMap<>();
        Set<Integer> numbers = new HashSet<>();
        for (Entry entry : entries) {
            boolean possible = entry.number() >= 1 && entry.number() <= StorageKeys.MAX_STATE;
            if (!possible || !numbers.add(entry.number()) || byName.put(entry.name(), entry) != null) {
                throw new CorruptionException("Cannot read a state schema: state '" + entry.name() + "' with number "
                        + entry.number() + " stands there twice or has an impossible number");
            }
        }
        return new StateSchema(byName);
    }

    /** The states, in the order in which they were declared. */
    public List<Entry> entries() {
        return List.copyOf(byName.values());
    }

    /** The state of this name, or null. */
    public @Nullable Entry find(String name) {
        return byName.get(name);
    }

    /**
     * The number of a declared state.
     *
     * @throws IllegalArgumentException if it was not declared
     */
    public int number(String name) {
        Entry entry = byName.get(name);
        if (entry == null) {
            throw new IllegalArgumentException("Cannot find state '" + name + "': it was not declared");
        }
        return entry.number();
    }

    /**
     * The schema with this state in it: this one if it has the state already.
     *
     * @throws ConfigurationException if there is another state of this name, or no number is left
     */
    public StateSchema declare(Kind kind, String name, String type) {
        Entry known = byName.get(name);
        if (known != null) {
            if (known.kind() == kind && known.type().equals(type)) {
                return this;
            }
            throw new ConfigurationException("Cannot use state '" + name + "' as " + kind.text() + " of " + type
                    + ": it is stored as " + known.kind().text() + " of " + known.type()
                    + "; declare it as it was, or give the new state another name");
        }
        int number = byName.values().stream().mapToInt(Entry::number).max().orElse(0) + 1;
        if (number > StorageKeys.MAX_STATE) {
            throw new ConfigurationException("Cannot declare state '" + name + "': all " + StorageKeys.MAX_STATE
                    + " state numbers of the task are given; use fewer different state names");
        }
        List<Entry> entries = new ArrayList<>(byName.values());
        entries.add(new Entry(name, number, kind, type));
        return of(entries);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StateSchema schema && entries().equals(schema.entries());
    }

    @Override
    public int hashCode() {
        return entries().hashCode();
    }

    @Override
    public String toString() {
        return entries().toString();
    }
}
