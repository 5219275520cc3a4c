package dev.weir.autoconfigure;

import dev.weir.api.Processor;
import dev.weir.api.StateDescriptor;
import dev.weir.api.StreamProcessor;
import dev.weir.topology.ProcessorSpec;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ReflectionUtils;

/** Finds the processors among the beans and says what is wrong with them. */
final class ProcessorDiscovery {

    private static final String SCOPED_TARGET = "scopedTarget.";
    private static final Set<String> INJECTION = Set.of(
            "org.springframework.beans.factory.annotation.Autowired",
            "org.springframework.beans.factory.annotation.Value",
            "jakarta.inject.Inject",
            "jakarta.annotation.Resource",
            "javax.inject.Inject",
            "javax.annotation.Resource");

    private final ConfigurableListableBeanFactory beans;
    private final List<DiscoveredProcessor> found = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();

    private ProcessorDiscovery(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * What was found.
     *
     * @param processors the processors that can be used
     * @param violations what is wrong with others, one sentence each
     */
    record Result(List<DiscoveredProcessor> processors, List<String> violations) {}

    /** Names of the beans that are declared as processors, usable or not. */
    static List<String> candidates(ConfigurableListableBeanFactory beans) {
        var names = Arrays.asList(beans.getBeanNamesForAnnotation(StreamProcessor.class));
        // A scoped bean appears twice, as its proxy and as its target: the target tells the scope.
        return names.stream()
                .filter(name -> name.startsWith(SCOPED_TARGET) || !names.contains(SCOPED_TARGET + name))
                .toList();
    }

    /** Looks at all beans; creates those that are declared as processors, if they are singletons. */
    static Result discover(ConfigurableListableBeanFactory beans) {
        var discovery = new ProcessorDiscovery(beans);
        candidates(beans).forEach(discovery::inspect);
        return new Result(List.copyOf(discovery.found), List.copyOf(discovery.violations));
    }

    private void inspect(String beanName) {
        String shown = beanName.startsWith(SCOPED_TARGET) ? beanName.substring(SCOPED_TARGET.length()) : beanName;
        if (!beans.isSingleton(beanName)) {
            String scope = beans.getMergedBeanDefinition(beanName).getScope();
            refuse(shown, "its scope is " + scope + ", and one instance serves all tasks; make it a singleton");
            return;
        }
        Object bean = beans.getBean(beanName);
        StreamProcessor declaration = beans.findAnnotationOnBean(beanName, StreamProcessor.class);
        Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
        if (declaration == null) {
            return;
        }
        if (!(bean instanceof Processor<?, ?> processor)) {
            refuse(
                    shown,
                    Processor.class.isAssignableFrom(type)
                            ? "its proxy does not implement " + Processor.class.getName()
                                    + "; have it proxied by that interface or by its class"
                            : type.getName() + " does not implement " + Processor.class.getName() + "; let it do so");
            return;
        }
        if (declaration.name().isBlank()) {
            refuse(shown, "its name is blank; give it one that never changes: @StreamProcessor(name = \"…\")");
            return;
        }
        int before = violations.size();
        mutableFields(shown, type);
        Types types = types(beanName, type);
        if (types == null) {
            refuse(
                    shown,
                    "the types of its keys and values cannot be told from " + type.getName()
                            + "; let a class implement Processor<K, V> with types in place of K and V");
        }
        if (violations.size() == before && types != null) {
            var spec = new ProcessorSpec(
                    declaration.name(),
                    List.of(declaration.inputs()),
                    List.of(declaration.outputs()),
                    states(type, target(bean)));
            found.add(new DiscoveredProcessor(spec, processor, types.key(), types.value()));
        }
    }

    private void refuse(String beanName, String reason) {
        violations.add("Cannot use bean '" + beanName + "' as a processor: " + reason);
    }

    private void mutableFields(String beanName, Class<?> type) {
        ReflectionUtils.doWithFields(
                type,
                field -> refuse(
                        beanName,
                        "its field " + field.getName()
                                + " is not final, and one instance serves all tasks at the same time;"
                                + " keep what changes in state, and make the field final"),
                field -> !Modifier.isStatic(field.getModifiers())
                        && !Modifier.isFinal(field.getModifiers())
                        && !field.isSynthetic()
                        && !isInjected(field));
    }

    private static boolean isInjected(Field field) {
        return MergedAnnotations.from(field).stream()
                .anyMatch(annotation -> INJECTION.contains(annotation.getType().getName()));
    }

    private record Types(Type key, Type value) {}

    private @Nullable Types types(String beanName, Class<?> type) {
        Stream<ResolvableType> sources = Stream.of(ResolvableType.forClass(type));
        if (beans.containsBeanDefinition(beanName)) {
            sources = Stream.concat(
                    sources, Stream.of(beans.getMergedBeanDefinition(beanName).getResolvableType()));
        }
        return sources.map(source -> source.as(Processor.class))
                .filter(processor -> isConcrete(processor.getGeneric(0)) && isConcrete(processor.getGeneric(1)))
                .map(processor -> new Types(concrete(processor.getGeneric(0)), concrete(processor.getGeneric(1))))
                .findFirst()
                .orElse(null);
    }

    private static boolean isConcrete(ResolvableType type) {
        return type.resolve() != null && Arrays.stream(type.getGenerics()).allMatch(ProcessorDiscovery::isConcrete);
    }

    /** The type with the arguments that its variables have where it is used. */
    private static Type concrete(ResolvableType type) {
        Class<?> raw = type.toClass();
        if (!type.hasGenerics()) {
            return raw;
        }
        ResolvableType[] arguments = Arrays.stream(type.getGenerics())
                .map(argument -> ResolvableType.forType(concrete(argument)))
                .toArray(ResolvableType[]::new);
        return ResolvableType.forClassWithGenerics(raw, arguments).getType();
    }

    private static Object target(Object bean) {
        if (!AopUtils.isAopProxy(bean)) {
            return bean;
        }
        Object target = AopProxyUtils.getSingletonTarget(bean);
        return target == null || target == bean ? bean : target(target);
    }

    private static List<StateDescriptor> states(Class<?> type, Object target) {
        List<StateDescriptor> states = new ArrayList<>();
        ReflectionUtils.doWithFields(
                type,
                field -> {
                    ReflectionUtils.makeAccessible(field);
                    Object state = field.get(Modifier.isStatic(field.getModifiers()) ? null : target);
                    if (state != null) {
                        states.add((StateDescriptor) state);
                    }
                },
                field -> StateDescriptor.class.isAssignableFrom(field.getType()));
        return states;
    }
}
