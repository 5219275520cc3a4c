package dev.weir.topology;

import dev.weir.api.StateDescriptor;
import java.util.List;

/**
 * One processor as it was declared.
 *
 * @param name its name, unique in the domain
 * @param inputs the topics that it reads
 * @param outputs the topics that it may emit to
 * @param states the states that it declares
 */
public record ProcessorSpec(String name, List<String> inputs, List<String> outputs, List<StateDescriptor> states) {

    public ProcessorSpec {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        states = List.copyOf(states);
    }
}
