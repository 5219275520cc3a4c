package dev.weir.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.api.MapState;
import dev.weir.api.ValueState;
import dev.weir.failure.ConfigurationException;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopologyTest {

    private static ProcessorSpec spec(String name, List<String> inputs, List<String> outputs) {
        return new ProcessorSpec(name, inputs, outputs, List.of());
    }

    @Test
    void keepsProcessorsInOrderAndKnowsTheirTopics() {
        var b = spec("b", List.of("in-2", "in-1"), List.of("out"));
        var a = spec("a", List.of("in-1"), List.of("out", "other.out"));
        var topology = Topology.of(List.of(b, a));
        assertThat(topology.processors()).containsExactly(b, a);
        assertThat(topology.inputs()).containsExactly("in-1", "in-2");
        assertThat(topology.outputs()).containsExactly("other.out", "out");
    }

    @Test
    void oneStateDeclaredTwiceIsOneState() {
        var state = ValueState.of("total", Long.class);
        Topology.of(List.of(
                new ProcessorSpec("a", List.of("in"), List.of(), List.of(state, ValueState.of("total", Long.class)))));
    }

    @Test
    void reportsAllViolationsTogether() {
        var specs = List.of(
                spec("has space", List.of("in"), List.of()),
                spec("twin", List.of("in"), List.of()),
                spec("twin", List.of("in"), List.of()),
                spec("blind", List.of(), List.of()),
                spec("odd", List.of("a b", "in", "in"), List.of("..")),
                spec("first", List.of("in"), List.of("between")),
                spec("second", List.of("between"), List.of()),
                new ProcessorSpec(
                        "stateful",
                        List.of("in"),
                        List.of(),
                        List.of(
                                ValueState.of("total", Long.class),
                                MapState.of("total", String.class, Long.class),
                                ValueState.of("bad/name", Long.class))));
        assertThatThrownBy(() -> Topology.of(specs))
                .isInstanceOf(ConfigurationException.class)
                .satisfies(e -> assertThat(String.valueOf(e.getMessage()).lines())
                        .containsExactly(
                                "Cannot use processor 'has space': a name has 1 to 60 letters, digits, '-' and '_'; rename it",
                                "Cannot use processor 'twin': another processor has the same name; give each a name of its own",
                                "Cannot use processor 'blind': it has no inputs; name at least one topic",
                                "Cannot use processor 'odd': its input 'a b' is no topic name (1 to 249 letters, digits, '.', '_' and '-'); correct it",
                                "Cannot use processor 'odd': it names the input in twice; name it once",
                                "Cannot use processor 'odd': its output '..' is no topic name (1 to 249 letters, digits, '.', '_' and '-'); correct it",
                                "Cannot use processor 'second': its input between is an output of processor first, and topics between processors"
                                        + " are not supported in this version; do the work of both in one processor, or run the second in a"
                                        + " service with another weir.domain",
                                "Cannot use processor 'stateful': it declares the state total with two types; give the second a name of its own",
                                "Cannot use processor 'stateful': its state 'bad/name' has a name that is not 1 to 60 letters, digits, '-' and"
                                        + " '_'; rename it"));
    }

    @Test
    void aTopicThatAProcessorWritesToItselfIsBetweenProcessorsToo() {
        assertThat(Topology.violations(List.of(spec("loop", List.of("x"), List.of("x")))))
                .hasSize(1);
    }
}
