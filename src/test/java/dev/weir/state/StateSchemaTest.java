package dev.weir.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.failure.ConfigurationException;
import dev.weir.failure.CorruptionException;
import java.util.List;
import org.junit.jupiter.api.Test;

class StateSchemaTest {

    private final StateSchema schema = StateSchema.empty()
            .declare(StateSchema.Kind.VALUE, "totals", "Totals")
            .declare(StateSchema.Kind.MAP, "stock", "String,Long");

    @Test
    void givesNumbersFromOne() {
        assertThat(schema.number("totals")).isEqualTo(1);
        assertThat(schema.number("stock")).isEqualTo(2);
        assertThat(StateSchema.empty().entries()).isEmpty();
        assertThat(schema.find("none")).isNull();
        assertThatIllegalArgumentException().isThrownBy(() -> schema.number("none"));
    }

    @Test
    void aKnownStateChangesNothing() {
        assertThat(schema.declare(StateSchema.Kind.VALUE, "totals", "Totals")).isSameAs(schema);
    }

    @Test
    void anotherTypeOrKindIsRefusedInOneSentence() {
        assertThatThrownBy(() -> schema.declare(StateSchema.Kind.VALUE, "totals", "Sums"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("Cannot use state 'totals' as value of Sums: it is stored as value of Totals;"
                        + " declare it as it was, or give the new state another name");
        assertThatThrownBy(() -> schema.declare(StateSchema.Kind.MAP, "totals", "Totals"))
                .isInstanceOf(ConfigurationException.class);
    }

    @Test
    void numbersStayWhenStatesAreNoLongerDeclared() {
        StateSchema stored = StateSchema.of(schema.entries().subList(1, 2));
        assertThat(stored.declare(StateSchema.Kind.VALUE, "new", "X").number("new"))
                .isEqualTo(3);
    }

    @Test
    void isTheSameFromItsEntries() {
        assertThat(StateSchema.of(schema.entries())).isEqualTo(schema).hasSameHashCodeAs(schema);
        assertThat(StateSchema.of(schema.entries().subList(0, 1))).isNotEqualTo(schema);
    }

    @Test
    void refusesImpossibleEntries() {
        StateSchema.Entry a = new StateSchema.Entry("a", 1, StateSchema.Kind.VALUE, "T");
        for (StateSchema.Entry b : List.of(
                new StateSchema.Entry("a", 2, StateSchema.Kind.VALUE, "T"),
                new StateSchema.Entry("b", 1, StateSchema.Kind.VALUE, "T"),
                new StateSchema.Entry("b", 0, StateSchema.Kind.VALUE, "T"),
                new StateSchema.Entry("b", 65536, StateSchema.Kind.VALUE, "T"))) {
            assertThatThrownBy(() -> StateSchema.of(List.of(a, b))).isInstanceOf(CorruptionException.class);
        }
    }

    @Test
    void endsWithTheLastNumber() {
        StateSchema full = StateSchema.of(List.of(new StateSchema.Entry("a", 65535, StateSchema.Kind.MAP, "T")));
        assertThatThrownBy(() -> full.declare(StateSchema.Kind.MAP, "b", "T"))
                .isInstanceOf(ConfigurationException.class);
    }

    @Test
    void kindsAreReadAsTheyAreWritten() {
        for (StateSchema.Kind kind : StateSchema.Kind.values()) {
            assertThat(StateSchema.Kind.parse(kind.text())).isEqualTo(kind);
        }
        assertThatThrownBy(() -> StateSchema.Kind.parse("list")).isInstanceOf(CorruptionException.class);
    }
}
