package dev.weir.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import org.junit.jupiter.api.Test;

class InMemoryStateBackendTest extends StateBackendContract {

    @Override
    protected StateBackend create() {
        return new InMemoryStateBackend();
    }

    @Override
    protected StateBackend restart(StateBackend before) {
        ((InMemoryStateBackend) before).crash();
        return before;
    }

    @Test
    void equalStatesHaveEqualCheckpoints() {
        TaskStore store = backend.openEmpty(TASK);
        store.apply(changes(1, "x", "1", "y", "1"));
        store.apply(changes(2, "x", null, "a", "2"));
        Base one = read(store.checkpoint());
        TaskStore other = new InMemoryStateBackend().openEmpty(TASK);
        other.apply(changes(2, "a", "2", "y", "1"));
        Base two = read(other.checkpoint());
        assertThat(one.hashes()).hasSize(1).isEqualTo(two.hashes());
        other.apply(changes(3, "a", "3"));
        assertThat(read(other.checkpoint()).hashes()).isNotEqualTo(two.hashes());
    }

    @Test
    void whatAnEndedProcessHeldIsUnusable() {
        TaskStore store = backend.openEmpty(TASK);
        TaskStore.LocalCheckpoint checkpoint = store.checkpoint();
        StateBackend.Assembly assembly = backend.assemble(OTHER);
        ((InMemoryStateBackend) backend).crash();
        assertThatIllegalStateException().isThrownBy(() -> store.get(key("a")));
        assertThatIllegalStateException().isThrownBy(() -> checkpoint.retain(List.of("00")));
        assertThatIllegalStateException().isThrownBy(() -> assembly.create("x"));
        assertThat(backend.openEmpty(TASK).epoch()).isZero();
    }
}
