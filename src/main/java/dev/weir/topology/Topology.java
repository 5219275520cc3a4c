package dev.weir.topology;

import dev.weir.api.StateDescriptor;
import dev.weir.failure.ConfigurationException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The processors of one service, checked: what is here fits together. Immutable. */
public final class Topology {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,60}");
    private static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}");

    private final Map<String, ProcessorSpec> processors;

    private Topology(Map<String, ProcessorSpec> processors) {
        this.processors = processors;
    }

    /**
     * The topology of these processors.
     *
     * @throws ConfigurationException that names everything that is wrong with them
     */
    public static Topology of(Collection<ProcessorSpec> specs) {
        List<String> violations = violations(specs);
        if (!violations.isEmpty()) {
            throw new ConfigurationException(String.join("\n", violations));
        }
        Map<String, ProcessorSpec> byName = new LinkedHashMap<>();
        specs.forEach(spec -> byName.put(spec.name(), spec));
        return new Topology(byName);
    }

    /** Everything that is wrong with these processors, one sentence each; empty if nothing is. */
    public static List<String> violations(Collection<ProcessorSpec> specs) {
        List<String> found = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Map<String, String> writers = new HashMap<>();
        specs.forEach(spec -> spec.outputs().forEach(output -> writers.putIfAbsent(output, spec.name())));
        for (ProcessorSpec spec : specs) {
            if (!NAME.matcher(spec.name()).matches()) {
                found.add(cannotUse(spec) + "a name has 1 to 60 letters, digits, '-' and '_'; rename it");
            }
            if (!names.add(spec.name())) {
                found.add(cannotUse(spec) + "another processor has the same name; give each a name of its own");
            }
            checkTopics(spec, writers, found);
            checkStates(spec, found);
        }
        return found;
    }

    private static void checkTopics(ProcessorSpec spec, Map<String, String> writers, List<String> found) {
        if (spec.inputs().isEmpty()) {
            found.add(cannotUse(spec) + "it has no inputs; name at least one topic");
        }
        checkNames(spec, "input", spec.inputs(), found);
        checkNames(spec, "output", spec.outputs(), found);
        for (String input : new TreeSet<>(spec.inputs())) {
            String writer = writers.get(input);
            if (writer != null) {
                found.add(cannotUse(spec) + "its input " + input + " is an output of processor " + writer
                        + ", and topics between processors are not supported in this version; do the work of both in one"
                        + " processor, or run the second in a service with another weir.domain");
            }
        }
    }

    private static void checkNames(ProcessorSpec spec, String role, List<String> topics, List<String> found) {
        Set<String> seen = new HashSet<>();
        for (String topic : topics) {
            if (!TOPIC.matcher(topic).matches() || topic.equals(".") || topic.equals("..")) {
                found.add(cannotUse(spec) + "its " + role + " '" + topic
                        + "' is no topic name (1 to 249 letters, digits, '.', '_' and '-'); correct it");
            } else if (!seen.add(topic)) {
                found.add(cannotUse(spec) + "it names the " + role + " " + topic + " twice; name it once");
            }
        }
    }

    private static void checkStates(ProcessorSpec spec, List<String> found) {
        Map<String, StateDescriptor> byName = new HashMap<>();
        for (StateDescriptor state : spec.states()) {
            if (!NAME.matcher(state.name()).matches()) {
                found.add(cannotUse(spec) + "its state '" + state.name()
                        + "' has a name that is not 1 to 60 letters, digits, '-' and '_'; rename it");
            }
            StateDescriptor other = byName.putIfAbsent(state.name(), state);
            if (other != null && !other.equals(state)) {
                found.add(cannotUse(spec) + "it declares the state " + state.name()
                        + " with two types; give the second a name of its own");
            }
        }
    }

    private static String cannotUse(ProcessorSpec spec) {
        return "Cannot use processor '" + spec.name() + "': ";
    }

    /** The processors, in the order in which they were given. */
    public List<ProcessorSpec> processors() {
        return List.copyOf(processors.values());
    }

    /** All topics that are read, in alphabetical order. */
    public Set<String> inputs() {
        Set<String> topics = new TreeSet<>();
        processors.values().forEach(spec -> topics.addAll(spec.inputs()));
        return topics;
    }

    /** All topics that are written, in alphabetical order. */
    public Set<String> outputs() {
        Set<String> topics = new TreeSet<>();
        processors.values().forEach(spec -> topics.addAll(spec.outputs()));
        return topics;
    }
}
