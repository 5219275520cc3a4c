package dev.weir.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.api.Message;
import dev.weir.api.Processor;
import dev.weir.api.ProcessorContext;
import dev.weir.api.StateDescriptor;
import dev.weir.api.StreamProcessor;
import dev.weir.api.ValueState;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.support.GenericApplicationContext;

class ProcessorDiscoveryTest {

    abstract static class Quiet<K, V> implements Processor<K, V> {

        @Override
        public void process(Message<K, V> message, ProcessorContext context) {}
    }

    record Box<T>(T content) {}

    abstract static class Base<T> extends Quiet<String, Box<List<T>>> {
        static final ValueState<Long> INHERITED = ValueState.of("inherited", Long.class);
    }

    @StreamProcessor(
            name = "good",
            inputs = {"a", "b"},
            outputs = "c")
    static class Good extends Base<Integer> {
        private static final ValueState<String> HIDDEN = ValueState.of("hidden", String.class);
        final StateDescriptor own = ValueState.of("own", Integer.class);

        @Autowired
        private String injected = "";

        String used() {
            return HIDDEN.name() + injected;
        }
    }

    @StreamProcessor(name = "no-processor", inputs = "a")
    static class NoProcessor {}

    @StreamProcessor(name = " ", inputs = "a")
    static class Blank extends Quiet<String, String> {}

    @StreamProcessor(name = "generic", inputs = "a")
    static class Generic<V> extends Quiet<String, V> {}

    @StreamProcessor(name = "counting", inputs = "a")
    static class Counting extends Quiet<String, String> {
        private int seen;

        int seen() {
            return seen++;
        }
    }

    private static ProcessorDiscovery.Result discover(Supplier<?> bean, Class<?> type, String scope) {
        try (var context = new GenericApplicationContext()) {
            var definition = new RootBeanDefinition(type);
            definition.setInstanceSupplier(bean);
            definition.setScope(scope);
            context.registerBeanDefinition("it", definition);
            context.refresh();
            return ProcessorDiscovery.discover(context.getBeanFactory());
        }
    }

    private static ProcessorDiscovery.Result discover(Supplier<?> bean, Class<?> type) {
        return discover(bean, type, BeanDefinition.SCOPE_SINGLETON);
    }

    private static void isGood(ProcessorDiscovery.Result result) {
        assertThat(result.violations()).isEmpty();
        var found = result.processors().get(0);
        assertThat(found.spec().inputs()).containsExactly("a", "b");
        assertThat(found.spec().outputs()).containsExactly("c");
        assertThat(found.spec().states())
                .extracting(StateDescriptor::name)
                .containsExactlyInAnyOrder("inherited", "hidden", "own");
        assertThat(found.keyType()).isEqualTo(String.class);
        assertThat(found.valueType().getTypeName())
                .isEqualTo(Box.class.getName() + "<java.util.List<java.lang.Integer>>");
    }

    @Test
    void findsTypesAndStatesOfSuperclassesToo() {
        isGood(discover(Good::new, Good.class));
    }

    @Test
    void looksThroughProxies() {
        isGood(discover(
                () -> {
                    var factory = new ProxyFactory(new Good());
                    factory.setProxyTargetClass(true);
                    return factory.getProxy();
                },
                Good.class));
        isGood(discover(
                () -> {
                    var factory = new ProxyFactory(new Good());
                    factory.setProxyTargetClass(false);
                    factory.setInterfaces(Processor.class);
                    return factory.getProxy();
                },
                Good.class));
    }

    @Test
    void refusesEachWrongBeanWithOneSentence() {
        assertThat(discover(Good::new, Good.class, BeanDefinition.SCOPE_PROTOTYPE)
                        .violations())
                .containsExactly(
                        "Cannot use bean 'it' as a processor: its scope is prototype, and one instance serves all tasks;"
                                + " make it a singleton");
        assertThat(discover(NoProcessor::new, NoProcessor.class).violations())
                .containsExactly("Cannot use bean 'it' as a processor: " + NoProcessor.class.getName()
                        + " does not implement dev.weir.api.Processor; let it do so");
        assertThat(discover(Blank::new, Blank.class).violations())
                .containsExactly(
                        "Cannot use bean 'it' as a processor: its name is blank; give it one that never changes:"
                                + " @StreamProcessor(name = \"…\")");
        assertThat(discover(Generic::new, Generic.class).violations())
                .containsExactly(
                        "Cannot use bean 'it' as a processor: the types of its keys and values cannot be told from "
                                + Generic.class.getName()
                                + "; let a class implement Processor<K, V> with types in place of K and V");
        assertThat(discover(Counting::new, Counting.class).violations())
                .containsExactly(
                        "Cannot use bean 'it' as a processor: its field seen is not final, and one instance serves all"
                                + " tasks at the same time; keep what changes in state, and make the field final");
        assertThat(discover(
                                () -> {
                                    var factory = new ProxyFactory(new Good());
                                    factory.setInterfaces(Comparable.class);
                                    return factory.getProxy();
                                },
                                Good.class)
                        .violations())
                .containsExactly(
                        "Cannot use bean 'it' as a processor: its proxy does not implement dev.weir.api.Processor;"
                                + " have it proxied by that interface or by its class");
    }

    @Test
    void refusesAScopedProxyForItsTargetsScope() {
        try (var context = new GenericApplicationContext()) {
            var target = new RootBeanDefinition(Good.class);
            target.setScope(BeanDefinition.SCOPE_PROTOTYPE);
            var holder = ScopedProxyUtils.createScopedProxy(new BeanDefinitionHolder(target, "it"), context, true);
            context.registerBeanDefinition("it", holder.getBeanDefinition());
            context.refresh();
            assertThat(ProcessorDiscovery.discover(context.getBeanFactory()).violations())
                    .singleElement()
                    .asString()
                    .startsWith("Cannot use bean 'it' as a processor: its scope is prototype");
        }
    }
}
